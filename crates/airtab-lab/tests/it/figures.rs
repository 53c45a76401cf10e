// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Figures as such: what is drawn is inside of its frame, panels share their
//! scales, none is empty, a discipline keeps its colour, and a file has it all.

use airtab_lab::draw::{
    Axis, Bar, Bars, Content, Figure, Kind, Line, Look, Panel, Part, Plot, Point, Shares,
};

const WIDTH: f64 = 400.0;

fn panel(name: &str, content: Content) -> Panel {
    Panel { name: name.into(), caption: String::new(), alt: format!("of {name}"), content }
}

fn plot(name: &str, axes: [Axis; 2], kind: Kind, points: &[Option<(f64, f64, f64)>]) -> Panel {
    let point = |(x, y, half): (f64, f64, f64)| Point { x, y, low: y - half, high: y + half };
    let points: Vec<Option<Point>> = points.iter().map(|p| p.map(point)).collect();
    let [x, y] = axes;
    let shown = || points.iter().flatten();
    let (x, y) = (x.covering(shown().map(|p| p.x)), y.covering(shown().flat_map(|p| [p.low, p.high])));
    let line = Line { name: "line".into(), look: Look::of_app(0), kind, points };
    panel(name, Content::Plot(Plot { x, y, lines: vec![line], mark: None }))
}

fn bar(label: &str, value: f64, half: f64, published: Option<(f64, f64)>) -> Bar {
    let look = Look::of_discipline("chap", &["chap".into()]);
    Bar {
        label: label.into(),
        look,
        value,
        half_width: Some(half),
        text: format!("{value} ± {half}"),
        published,
    }
}

/// Values of an attribute, wherever it is.
fn all(svg: &str, attribute: &str) -> Vec<f64> {
    let begin = format!(" {attribute}=\"");
    let found = svg.split(&begin).skip(1);
    found.filter_map(|rest| rest.split('"').next().unwrap().parse().ok()).collect()
}

fn texts(svg: &str) -> Vec<(String, String)> {
    let of = |text: &str| {
        let (tag, rest) = text.split_once('>').unwrap();
        (tag.to_string(), rest.split("</text>").next().unwrap().to_string())
    };
    svg.split("<text").skip(1).map(of).collect()
}

/// Drawings of a figure's panels.
fn drawings(figure: &Figure) -> Vec<String> {
    let svg = figure.svg();
    let parts = svg.split("<title>").skip(1).map(String::from).collect::<Vec<_>>();
    assert_eq!(parts.len(), figure.panels().len());
    parts
}

fn wild() -> Vec<Panel> {
    let wide = [Some((0.0, 1.0, 30.0)), None, Some((7.3, -4.0, 0.5)), Some((1e3, 1234.56, 700.0))];
    let log = [Some((0.0, 0.0, 0.0)), Some((0.013, 5e-4, 1.0)), Some((2e4, 77.0, 76.99))];
    let axis = |label: &str| Axis::new(label);
    let named = axis("site").named((0..4).map(|i| (f64::from(i), format!("a long name {i}"))).collect());
    let at_names = [Some((0.0, 0.02, 0.03)), Some((3.0, 0.1, 0.0))];
    vec![
        plot("wide", [axis("x"), axis("y")], Kind::Means, &wide),
        plot("course", [axis("t").exact(), axis("u")], Kind::Course, &wide),
        plot("logarithms", [axis("lx").log(), axis("ly").log()], Kind::Means, &log),
        plot("cloud", [axis("v"), axis("w")], Kind::Cloud, &wide),
        plot("published", [axis("p"), axis("q")], Kind::Published, &wide),
        plot("names", [named, axis("n")], Kind::Means, &at_names),
        plot(
            "floor",
            [axis("fx"), axis("MOS").not_below(1.0)],
            Kind::Means,
            &[Some((0.0, 1.2, 0.9)), Some((1.0, 3.0, 0.2))],
        ),
        plot("zeros", [axis("zx"), axis("z")], Kind::Means, &[Some((0.0, 0.0, 0.0)), Some((1.0, 0.0, 0.0))]),
    ]
}

/// Every line, marker and interval is between the axes; every text in the picture.
#[test]
fn nothing_is_outside_of_its_frame() {
    let figure = Figure::new("wild", "Wild", "", wild());
    for (svg, panel) in drawings(&figure).iter().zip(figure.panels()) {
        let axes: Vec<&str> = svg.split("<line class=\"axis\"").skip(1).collect();
        let (bottom, left) = (axes[0], axes[1]);
        let [x0, x1] = ["x1", "x2"].map(|a| all(bottom, a)[0]);
        let [y0, y1] = ["y1", "y2"].map(|a| all(left, a)[0]);
        assert!(0.0 < x0 && x1 <= WIDTH && 0.0 <= y0 && y1 <= 250.0, "{}", panel.name);
        let data = svg.split("<g class=\"c0\">").nth(1).unwrap().split("</g>").next().unwrap();
        let mut seen = 0;
        let mut inside = |x: f64, y: f64, room: f64| {
            seen += 1;
            let fine = (x0 - room..=x1 + room).contains(&x) && (y0 - room..=y1 + room).contains(&y);
            assert!(fine, "{}: {x}, {y} is not in {x0}..{x1}, {y0}..{y1}: {data}", panel.name);
        };
        for line in data.split("<polyline").skip(1) {
            let points = line.split(" points=\"").nth(1).unwrap().split('"').next().unwrap();
            for point in points.split(' ') {
                let (x, y) = point.split_once(',').unwrap();
                inside(x.parse().unwrap(), y.parse().unwrap(), 0.05);
            }
        }
        for (x, y) in all(data, "cx").into_iter().zip(all(data, "cy")) {
            inside(x, y, 0.05);
        }
        for path in data.split("class=\"interval\" d=\"M").skip(1) {
            let path = path.split('"').next().unwrap();
            let words: Vec<f64> =
                path.split(|c: char| !"0123456789.-".contains(c)).filter_map(|w| w.parse().ok()).collect();
            inside(words[0] + 3.0, words[1], 0.05);
            let high = path.split('V').nth(1).and_then(|v| v.split('m').next()).unwrap();
            inside(words[0] + 3.0, high.parse().unwrap(), 0.05);
        }
        for ((x, y), height) in all(data, "x").into_iter().zip(all(data, "y")).zip(all(data, "height")) {
            inside(x + 4.0, y, 0.1);
            inside(x + 4.0, y + height, 0.1);
        }
        assert!(seen >= 2, "{}: {data}", panel.name);
    }
}

#[test]
fn no_text_is_cut_off() {
    let bars = vec![
        bar("chap:limit=1024:target=20ms", 1386.64, 143.8, Some((1500.0, 2000.0))),
        bar("fifo", -3.0, 9.0, None),
    ];
    let part = |share| Part { name: "a".into(), look: Look::of_app(7), pale: false, share };
    let mut panels = wild();
    panels.push(panel("bars", Content::Bars(Bars::new("ms", (0.0, 1.0), bars))));
    panels
        .push(panel("none", Content::Bars(Bars::new("MOS", (0.0, 0.0), vec![bar("fifo", 0.0, 0.0, None)]))));
    panels.push(panel(
        "air",
        Content::Shares(Shares { bars: vec![("fifo".into(), vec![part(0.7), part(0.5)])] }),
    ));
    let figure = Figure::new("texts", "Texts", "", panels);
    for (svg, panel) in drawings(&figure).iter().zip(figure.panels()) {
        let drawing = svg.split("</g>\n<g transform").next().unwrap();
        let texts = texts(drawing.split("</title>").nth(1).unwrap());
        assert!(texts.len() > 3, "{}", panel.name);
        // Captions of later panels are behind the drawing.
        for (tag, words) in
            texts.iter().filter(|(tag, _)| !tag.contains("transform") && !tag.contains("class"))
        {
            let (x, y) = (all(tag, "x")[0], all(tag, "y")[0]);
            let wide = words.chars().count() as f64 * 6.0;
            let from = match tag {
                tag if tag.contains("middle") => x - wide / 2.0,
                tag if tag.contains("end") => x - wide,
                _ => x,
            };
            if y <= 260.0 && from <= WIDTH {
                assert!(
                    from >= -0.5 && from + wide <= WIDTH + 0.5 && y >= 10.0,
                    "{}: {words} at {from}, {y}",
                    panel.name
                );
            }
        }
    }
}

#[test]
fn bars_and_intervals_are_inside() {
    let bars = vec![bar("a", 4.0, 9.0, Some((1.0, 20.0))), bar("b", 0.0, 0.0, Some((25.0, 25.0)))];
    let svg =
        Figure::new("b", "B", "", vec![panel("b", Content::Bars(Bars::new("ms", (0.0, 1.0), bars)))]).svg();
    let data = svg.split("</title>").nth(1).unwrap();
    for (x, width) in all(data, "x").into_iter().zip(all(data, "width")).skip(2) {
        assert!(x >= 0.0 && x + width <= WIDTH, "{x} {width}");
    }
    let whisker = data.split("class=\"whisker\" d=\"M").nth(1).unwrap();
    let low: f64 = whisker.split(' ').next().unwrap().parse().unwrap();
    let high: f64 = whisker.split('H').nth(1).unwrap().split('m').next().unwrap().parse().unwrap();
    // -5 to 13, on an axis from -5 to 25.
    assert!((low - 6.0).abs() < 0.1 && (high - (6.0 + 388.0 * 18.0 / 30.0)).abs() < 0.1, "{low} {high}");
}

#[test]
fn panels_of_one_quantity_have_one_scale_and_none_is_empty() {
    let axes = |y: &str| [Axis::new("x"), Axis::new(y)];
    let panels = vec![
        plot("few", axes("Mb/s"), Kind::Means, &[Some((0.0, 0.0, 0.0)), Some((1.0, 3.0, 0.0))]),
        plot("empty", axes("Mb/s"), Kind::Means, &[None, None]),
        plot("many", axes("Mb/s"), Kind::Means, &[Some((0.0, 0.0, 0.0)), Some((4.0, 30.0, 0.0))]),
        plot("other", axes("ms"), Kind::Means, &[Some((0.0, 0.0, 0.0)), Some((2.0, 700.0, 0.0))]),
    ];
    let figure = Figure::new("scales", "Scales", "", panels);
    let names: Vec<&str> = figure.panels().iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["few", "many", "other"]);
    let ticks = |svg: &String| {
        let of_panel = texts(svg.split("</title>").nth(1).unwrap()).into_iter().map(|t| t.1);
        of_panel.filter(|t| t.parse::<f64>().is_ok()).collect::<Vec<_>>()
    };
    let drawn: Vec<Vec<String>> = drawings(&figure).iter().map(ticks).collect();
    assert_eq!(drawn[0], drawn[1]);
    assert!(drawn[2] != drawn[0] && drawn[0].contains(&"30".to_string()), "{drawn:?}");
    assert!(Figure::new("none", "None", "", vec![plot("empty", axes("y"), Kind::Means, &[None])]).is_empty());
}

/// A file is as high as what is in it, with a margin below.
#[test]
fn nothing_is_below_the_end_of_a_file() {
    for columns in 1..=3 {
        let svg = Figure::new("wild", "Wild", "", wild()).columns(columns).svg();
        let height: f64 = svg
            .split("viewBox=\"0 0 ")
            .nth(1)
            .unwrap()
            .split('"')
            .next()
            .unwrap()
            .split_once(' ')
            .unwrap()
            .1
            .parse()
            .unwrap();
        let tops = svg.split("<g transform=\"translate(").skip(1).filter(|rest| rest.contains("<title>"));
        let lowest = tops.map(|rest| {
            let top: f64 = rest.split(')').next().unwrap().split_once(' ').unwrap().1.parse().unwrap();
            // Behind it is the next caption.
            let (own, _) = rest.rsplit_once("</g>").unwrap();
            top + texts(own).iter().flat_map(|(tag, _)| all(tag, "y")).fold(0.0, f64::max)
        });
        let lowest = lowest.fold(0.0, f64::max);
        assert!(lowest > 240.0 && lowest + 12.0 <= height, "{columns}: {lowest} of {height}");
    }
}

/// The first and the last tick may be at the very edge: their words are not.
#[test]
fn words_at_an_edge_stay_in_the_picture() {
    let x = Axis::new("time, s").exact();
    let points = [Some((0.0, 0.0, 0.0)), Some((1_000_000.0, 1.0, 0.0))];
    let names =
        vec![(0.0, "the first of all of them".to_string()), (1.0, "the last one of all of them".to_string())];
    let few = [Some((0.0, 0.0, 0.0)), Some((1.0, 1.0, 0.0))];
    let panels = vec![
        plot("numbers", [x, Axis::new("y")], Kind::Course, &points),
        plot("names", [Axis::new("site").named(names), Axis::new("y")], Kind::Means, &few),
    ];
    let figure = Figure::new("edges", "Edges", "", panels);
    for (svg, panel) in drawings(&figure).iter().zip(figure.panels()) {
        let drawing = svg.split("</title>").nth(1).unwrap();
        let ticks: Vec<(String, String)> = texts(drawing)
            .into_iter()
            .filter(|(_, words)| ["1000000", "the last one of all of them"].contains(&words.as_str()))
            .collect();
        let [(tag, words)] = &ticks[..] else { panic!("{}: {ticks:?}", panel.name) };
        let wide = words.chars().count() as f64 * 6.7;
        let end = all(tag, "x")[0] + if tag.contains("end") { 0.0 } else { wide / 2.0 };
        assert!(end <= WIDTH + 0.05, "{words} ends at {end}");
    }
}

/// Who uploads nothing needs no word about uplinks.
#[test]
fn the_legend_has_what_is_there() {
    let legend = |share| {
        let part = |pale, share| Part { name: "a".into(), look: Look::of_app(0), pale, share };
        let bars = vec![("fifo".to_string(), vec![part(false, 0.5), part(true, share)])];
        Figure::new("air", "Air", "", vec![panel("", Content::Shares(Shares { bars }))]).svg()
    };
    assert!(legend(0.1).contains("pale: uplink") && !legend(0.0).contains("pale: uplink"));
}

#[test]
fn curves_have_no_stairs() {
    let slope: Vec<_> = (0..400).map(|i| Some((f64::from(i), f64::from(i) * 0.05, 0.0))).collect();
    let figure = Figure::new(
        "s",
        "S",
        "",
        vec![plot("s", [Axis::new("x").exact(), Axis::new("y")], Kind::Course, &slope)],
    );
    let svg = figure.svg();
    let points = svg.split("<polyline class=\"fine\" points=\"").nth(1).unwrap().split('"').next().unwrap();
    let ys: Vec<&str> = points.split(' ').map(|p| p.split_once(',').unwrap().1).collect();
    assert!(ys.len() == 400 && ys.windows(2).all(|pair| pair[0] != pair[1]), "{points}");
}

#[test]
fn a_file_stands_alone_and_its_data_is_all_of_it() {
    let source = plot(
        "fifo, \"so\"",
        [Axis::new("q, packets"), Axis::new("MOS")],
        Kind::Published,
        &[Some((35.0, 3.5, 0.0)), Some((70.0, 3.0, 0.5))],
    );
    let own = plot(
        "fifo, \"so\"",
        [Axis::new("q, packets"), Axis::new("MOS")],
        Kind::Means,
        &[Some((35.0, 3.25, 0.25)), None],
    );
    let bars = vec![bar("chap", 4.0, 0.5, Some((4.25, 4.25)))];
    let part = |pale| Part { name: "up".into(), look: Look::of_app(0), pale, share: 0.25 };
    let shares = Shares { bars: vec![("chap".into(), vec![part(false), part(true)])] };
    let panels = vec![
        source,
        own,
        panel("b", Content::Bars(Bars::new("ms", (0.0, 1.0), bars))),
        panel("", Content::Shares(shares)),
    ];
    let figure = Figure::new("it", "a < b", "", panels);
    assert_eq!(
        figure.csv(),
        "panel,series,kind,over,x,quantity,value,low,high\n\
         \"fifo, \"\"so\"\"\",line,published,\"q, packets\",35,MOS,3.5,,\n\
         \"fifo, \"\"so\"\"\",line,published,\"q, packets\",70,MOS,,2.5,3.5\n\
         \"fifo, \"\"so\"\"\",line,measured,\"q, packets\",35,MOS,3.25,3,3.5\n\
         b,chap,measured,,,ms,4,3.5,4.5\n\
         b,chap,published,,,ms,4.25,,\n\
         ,chap: up,measured,,,share,0.25,,\n\
         ,chap: up,measured,,,\"share, uplink\",0.25,,\n"
    );
    let svg = figure.svg();
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 840 "), "{svg}");
    assert!(svg.contains("@media screen and (prefers-color-scheme: dark)") && svg.contains("a &lt; b"));
    assert!(svg.contains(">published</text>") && svg.contains(">published range</text>"));
    assert!(svg.contains(">pale: uplink</text>") && !svg.contains("NaN"));
    for tag in ["svg", "g", "text", "title", "style"] {
        let opened = svg.matches(&format!("<{tag}>")).count() + svg.matches(&format!("<{tag} ")).count();
        assert_eq!(opened, svg.matches(&format!("</{tag}>")).count(), "{tag}");
    }
}
