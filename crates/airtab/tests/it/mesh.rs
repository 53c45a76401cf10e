// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! `airtab mesh show` as a user has it: the project's meshes as text and as JSON, and files that have none.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

fn airtab(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_airtab"));
    command.args(args).current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).stdin(Stdio::null());
    command.output().expect("airtab starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("UTF-8")
}

fn shown(file: &str) -> Value {
    let output = airtab(&["mesh", "show", file, "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

#[test]
fn a_chain() {
    let output = airtab(&["mesh", "show", "scenarios/mesh-chain4.toml"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for line in [
        "mesh-chain4 (dnb-11b), 5 nodes, 4 links, all sense each other",
        "decoded within 250 m, sensed within 900 m, disturb within 900 m, capture off",
        "n0 n1 n2 n3 n4; n1-n2; 10: n0 2, n1 2, n2 3, n3 3",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let json = shown("scenarios/mesh-chain4.toml");
    assert_eq!((&json["schema"], &json["one_domain"]), (&json!(1), &json!(true)));
    // Four hops of 11 Mb/s: 10 packets, 2 2 3 3 (Showail 2016, 4.4.1).
    let flow = &json["apps"][0];
    assert_eq!(flow["b_packets"], 10);
    let limits: Vec<u64> =
        flow["limits"].as_array().unwrap().iter().map(|own| own["packets"].as_u64().unwrap()).collect();
    assert_eq!(limits, [2, 2, 3, 3]);
    assert_eq!(json["domains"][1]["m_nodes"], 4);
    assert!((json["domains"][1]["load_ratio"].as_f64().unwrap() - 1.0).abs() < 1e-9);
}

/// Who sends has the first share: of an upload that is the far end.
#[test]
fn an_upload_goes_back() {
    let file = std::env::temp_dir().join(format!("airtab-mesh-up-{}.toml", std::process::id()));
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/mesh-chain4.toml"));
    let text = text.expect("the file is there").replace("kind = \"download\"", "kind = \"upload\"");
    std::fs::write(&file, text).expect("a file of one's own");
    let json = shown(file.to_str().expect("UTF-8"));
    std::fs::remove_file(&file).expect("it is there");
    let own = &json["apps"][0];
    assert_eq!(own["way"], json!(["n4", "n3", "n2", "n1", "n0"]));
    let limits: Vec<&Value> = own["limits"].as_array().unwrap().iter().collect();
    assert_eq!((&limits[0]["node"], &limits[0]["packets"]), (&json!("n4"), &json!(2)));
    assert_eq!((&limits[3]["node"], &limits[3]["packets"]), (&json!("n1"), &json!(3)));
}

#[test]
fn a_cross() {
    let json = shown("scenarios/mesh-cross.toml");
    assert_eq!(json["one_domain"], false);
    assert_eq!(json["nodes"].as_array().unwrap().len(), 21);
    // Of the link between the gateway and the first node of an edge: the nodes one and two hops away, and the third of
    // that edge, which the first of it decodes.
    let own = json["domains"].as_array().unwrap().iter().find(|d| d["link"] == json!(["gw", "n1"])).unwrap();
    assert_eq!(own["senders"], json!(["n1", "n2", "n3", "e1", "e2", "s1", "s2", "w1", "w2"]));
    assert_eq!(json["apps"][0]["way"], json!(["n5", "n4", "n3", "n2", "n1", "gw"]));
}

#[test]
fn what_is_no_mesh() {
    let output = airtab(&["mesh", "show", "scenarios/anomaly.toml"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output.stderr).contains("is no mesh: write medium = \"mesh\" in [wifi]"),
        "{}",
        text(&output.stderr)
    );
}

/// Distances between nodes and the ranges decide which nodes decode, sense and disturb each other.
#[test]
fn ranges_decide_by_distance() {
    let json = shown("scenarios/mesh-cross.toml");
    let range = |key: &str| json["ranges"][key].as_f64().expect("metres");
    assert!(range("tx_m") < range("sense_m"));
    let nodes = json["nodes"].as_array().expect("nodes");
    let place = |node: &Value| ["x_m", "y_m"].map(|key| node[key].as_f64().expect("metres"));
    let mut senses_more = 0;
    for node in nodes {
        let [x, y] = place(node);
        let named = |key: &str| -> Vec<&Value> { node[key].as_array().expect("names").iter().collect() };
        for (key, of) in [("decodes", "tx_m"), ("senses", "sense_m"), ("disturbs", "interference_m")] {
            let near = |other: &&Value| {
                let [a, b] = place(other);
                other["name"] != node["name"] && (x - a).hypot(y - b) <= range(of)
            };
            let within: Vec<&Value> = nodes.iter().filter(near).map(|other| &other["name"]).collect();
            assert_eq!(named(key), within, "{}: {key}", node["name"]);
        }
        senses_more += usize::from(named("senses").len() > named("decodes").len());
    }
    assert!(senses_more > 0);
}
