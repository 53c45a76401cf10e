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

/// A chain lies along x; who sends and receives alike is shown from its server on.
#[test]
fn places_and_ways_have_a_direction() {
    let json = shown("scenarios/mesh-chain4.toml");
    let places = |key: &str| -> Vec<f64> {
        json["nodes"]
            .as_array()
            .expect("nodes")
            .iter()
            .map(|node| node[key].as_f64().expect("metres"))
            .collect()
    };
    let (x, y) = (places("x_m"), places("y_m"));
    assert!(y.iter().all(|y| *y == 0.0) && x[1] > 0.0, "{x:?} {y:?}");
    assert!(x.iter().enumerate().all(|(i, at)| (at - i as f64 * x[1]).abs() < 1e-9), "{x:?}");
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let file = folder.path().join("own.toml");
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/mesh-chain4.toml"));
    let text = text.expect("the file is there");
    for (kind, first) in
        [("\"download\"", "n0"), ("\"upload\"", "n4"), ("\"p2p\"", "n0"), ("\"p2p\"\nupload = true", "n0")]
    {
        std::fs::write(&file, text.replace("\"download\"", kind)).expect("written");
        assert_eq!(shown(file.to_str().expect("UTF-8"))["apps"][0]["way"][0], first, "{kind}");
    }
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

/// Rows of the text, cell by cell.
fn rows(text: &str, heading: &str) -> Vec<String> {
    let rows = text.lines().skip_while(|line| !line.starts_with(heading)).skip(1);
    rows.take_while(|line| !line.is_empty())
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

/// The text and the JSON are made by themselves; both have the same nodes, domains and applications, in the same order.
#[test]
fn text_and_json_say_the_same() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let own = folder.path().join("own.toml");
    // Each range is another, and two flows go opposite ways: more nodes send than there are links.
    let chain =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios/mesh-chain4.toml"));
    let chain = chain.expect("the file is there");
    let back = chain.split_once("[[app]]").expect("an application").1;
    let back = back.replace("\"tcp\"", "\"back\"").replace("\"n0\"", "\"x\"").replace("\"n4\"", "\"n0\"");
    let back = format!("\n[[app]]{}", back.replace("\"x\"", "\"n4\""));
    let ranges = "\n[mesh]\ntx_range = 250\nsense_range = 550\ninterference_range = 700\ncapture = 10\n";
    std::fs::write(&own, format!("{chain}{back}{ranges}")).expect("written");
    let own = own.to_str().expect("UTF-8");
    let both = shown(own);
    assert_eq!(both["domains"][1]["senders"], json!(["n0", "n1", "n2", "n3", "n4"]), "{both:#}");
    assert_eq!((&both["domains"][1]["m_nodes"], both["apps"][1]["way"][0].as_str()), (&json!(5), Some("n4")));
    for file in ["scenarios/mesh-cross.toml", "scenarios/mesh-chain4.toml", own] {
        let output = airtab(&["mesh", "show", file]);
        let (said, json) = (text(&output.stdout), shown(file));
        let words = |value: &Value| -> Vec<String> {
            value.as_array().expect("a list").iter().map(|one| one.as_str().expect("a name").into()).collect()
        };
        let link = |value: &Value| words(value).join("-");
        let or_dash = |names: Vec<String>| if names.is_empty() { "-".into() } else { names.join(" ") };
        let nodes = json["nodes"].as_array().expect("nodes");
        let of_nodes = nodes.iter().map(|node| {
            let senses = words(&node["senses"]);
            let others = nodes.iter().map(|other| other["name"].as_str().expect("a name").to_string());
            let hidden = others.filter(|other| node["name"] != other.as_str() && !senses.contains(other));
            let name = node["name"].as_str().expect("a name");
            format!("{name} {}; {}", or_dash(words(&node["decodes"])), or_dash(hidden.collect()))
        });
        assert_eq!(rows(said, "node "), of_nodes.collect::<Vec<_>>(), "{file}");
        let of_domains = json["domains"].as_array().expect("domains").iter().map(|domain| {
            let contends = domain["contends"].as_array().expect("links").iter().map(link).collect::<Vec<_>>();
            let number = |key: &str| domain[key].as_f64().expect("a number");
            assert_eq!(number("m_nodes") as usize, words(&domain["senders"]).len());
            format!(
                "{} {:.1} {:.2} {} {} {}",
                link(&domain["link"]),
                number("rate_bps") / 1e6,
                number("load_ratio"),
                domain["m_nodes"],
                domain["b_packets"],
                contends.join(" ")
            )
        });
        assert_eq!(rows(said, "link "), of_domains.collect::<Vec<_>>(), "{file}");
        let of_apps = json["apps"].as_array().expect("applications").iter().map(|app| {
            let limits = app["limits"]
                .as_array()
                .expect("limits")
                .iter()
                .map(|own| format!("{} {}", own["node"].as_str().expect("a name"), own["packets"]));
            format!(
                "{} {}; {}; {}: {}",
                app["app"].as_str().expect("a name"),
                words(&app["way"]).join(" "),
                link(&app["bottleneck"]),
                app["b_packets"],
                limits.collect::<Vec<_>>().join(", ")
            )
        });
        assert_eq!(rows(said, "application "), of_apps.collect::<Vec<_>>(), "{file}");
        let range = |key: &str| json["ranges"][key].as_f64().expect("metres");
        let ranges = format!(
            "decoded within {} m, sensed within {} m, disturb within {} m, capture ",
            range("tx_m"),
            range("sense_m"),
            range("interference_m")
        );
        assert!(said.contains(&ranges), "{said}");
        let capture = json["ranges"]["capture_db"].as_f64().map_or("off".into(), |db| format!("{db} dB"));
        assert!(said.contains(&format!("capture {capture}\n")), "{said}");
        let domain =
            if json["one_domain"] == true { ", all sense each other" } else { ", not all sense each other" };
        assert_eq!(said.lines().next().map(|line| line.ends_with(domain)), Some(true), "{said}");
        let name = json["name"].as_str().expect("a name");
        let head =
            format!("{file}: {name} ({}), {} nodes, ", json["phy"].as_str().expect("a profile"), nodes.len());
        assert!(said.starts_with(&head), "{said}");
    }
    // Of an upload the far ends of its links send.
    std::fs::write(own, chain.replace("kind = \"download\"", "kind = \"upload\"")).expect("written");
    assert_eq!(shown(own)["domains"][1]["senders"], json!(["n1", "n2", "n3", "n4"]));
    // Each link is as fast as the file says.
    let json = shown("scenarios/mesh-chain4.toml");
    assert!(
        json["domains"].as_array().expect("domains").iter().all(|domain| domain["rate_bps"] == 11_000_000)
    );
}
