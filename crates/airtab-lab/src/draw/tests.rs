// SPDX-License-Identifier: MIT OR GPL-2.0-only
//! Positions of panels, legends, bars and markers, against positions computed from the layout's constants.

use super::*;

fn panel(name: &str, caption: &str, content: Content) -> Panel {
    Panel { name: name.into(), caption: caption.into(), alt: format!("of {name}"), content }
}

fn bar(value: f64) -> Bar {
    let (label, text) = (format!("bar of {value}"), format!("{value} ms"));
    Bar { label, look: Look::of_app(1), value, half_width: None, text, published: None }
}

/// `n` bars of length 1.
fn bars(n: usize) -> Content {
    Content::Bars(Bars::new("ms", (0.0, 1.0), vec![bar(1.0); n]))
}

fn line(name: &str, number: usize, kind: Kind, points: &[(f64, f64)]) -> Line {
    let points = points.iter().map(|(x, y)| Some(Point::new(*x, *y))).collect();
    Line { name: name.into(), look: Look::of_app(number), kind, points }
}

fn plot(lines: Vec<Line>) -> Plot {
    let shown = || lines.iter().flat_map(|line| line.points.iter().flatten());
    let x = Axis::new("s").exact().covering(shown().map(|p| p.x));
    let y = Axis::new("Mb/s").covering(shown().flat_map(|p| [p.low, p.high]));
    Plot { x, y, lines, mark: None }
}

/// Values of an attribute in each tag that begins so.
fn all<'a>(svg: &'a str, tag: &str, attribute: &str) -> Vec<&'a str> {
    let begin = format!(" {attribute}=\"");
    let of = |rest: &'a str| {
        rest.split('>').next().unwrap().split(begin.as_str()).nth(1).map(|v| v.split('"').next().unwrap())
    };
    svg.split(&format!("<{tag}")).skip(1).filter_map(of).collect()
}

fn numbers(svg: &str, tag: &str, attribute: &str) -> Vec<f64> {
    all(svg, tag, attribute).into_iter().map(|value| value.parse().unwrap()).collect()
}

/// Equal to a tenth of a pixel.
#[track_caller]
fn near(found: &[f64], expected: &[f64]) {
    let close =
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= 0.06);
    assert!(close, "{found:?}, not {expected:?}");
}

/// Places of the panels and of legend entries.
fn places(svg: &str) -> Vec<&str> {
    let moved = svg.split("<g transform=\"translate(").skip(1);
    moved.map(|rest| rest.split(')').next().unwrap()).collect()
}

/// Rows as high as their highest panel and their longest caption, which end above their panels.
#[test]
fn panels_of_a_file_stand_in_rows() {
    let long = "a caption of more than sixty letters is broken in two lines here";
    assert!((61..120).contains(&long.len()));
    let panels = vec![panel("a", "", bars(3)), panel("", long, bars(1)), panel("c", "of it", bars(2))];
    let figure = Figure::new("f", "Title", "", panels);
    // A bar takes 40 pixels, the others 26. Title: 12 + 17 + 3, and 4 without a legend.
    let height = |n: f64| 26.0 + 40.0 * n;
    let first = 36.0 + 2.0 * 17.0;
    let second = first + height(3.0) + 16.0 + 17.0;
    let svg = figure.svg();
    assert_eq!(places(&svg), [format!("12 {first}"), format!("428 {first}"), format!("12 {second}")]);
    let whole = second + height(2.0) + 12.0;
    assert!(svg.contains(&format!("viewBox=\"0 0 840 {whole}\" width=\"1050\"")), "{svg}");
    for (words, y) in [
        (">a<", first - 17.0 + 12.0),
        (">a caption", first - 34.0 + 12.0),
        (">c: of it<", second - 17.0 + 12.0),
    ] {
        let at = svg.find(words).unwrap_or_else(|| panic!("{words}: {svg}"));
        let tag = &svg[svg[..at].rfind("<text").unwrap()..at];
        assert!(tag.contains(&format!(" y=\"{y}\"")), "{words} {tag}");
    }
    // As many columns as there are panels, at most; one at least.
    let width = |columns| {
        let svg = figure.clone().columns(columns).svg();
        svg.split("viewBox=\"0 0 ").nth(1).unwrap().split(' ').next().unwrap().to_string()
    };
    assert_eq!([0, 1, 2, 3, 9].map(width), ["424", "424", "840", "1256", "1256"]);
    assert_eq!(Figure::new("f", "", "", vec![panel("a", "", bars(1))]).columns, 1);
}

#[test]
fn a_legend_goes_on_in_the_next_line() {
    let names = ["twenty-two letters one", "twenty-two letters two", "twenty-two letters 333", "four"];
    let lines =
        names.iter().enumerate().map(|(i, name)| line(name, i, Kind::Means, &[(0.0, 1.0), (1.0, 2.0)]));
    let figure = Figure::new("f", "Title", "", vec![panel("", "", Content::Plot(plot(lines.collect())))]);
    let svg = figure.svg();
    // A sample of 30 pixels, 6, the name, 14; up to 400 pixels from 12 on.
    let wide = 30.0 + 6.0 + 22.0 * 6.7 + 14.0;
    assert!(2.0 * wide <= 400.0 && 3.0 * wide > 400.0);
    let [second, fourth] = [wide, wide].map(|x| svg::coordinate(12.0 + x));
    let expected =
        ["12 32".into(), format!("{second} 32"), "12 49".into(), format!("{fourth} 49"), "12 72".into()];
    assert_eq!(places(&svg), expected, "and the panel, 23 below the last line");
}

/// Each name once, whichever panels have it, as it looks there; what has no point is left out.
#[test]
fn a_legend_has_each_line_once() {
    let two = &[(0.0, 1.0), (1.0, 2.0)];
    let gap = Line { points: vec![None, None], ..line("gap", 3, Kind::Means, &[]) };
    let ranges = Line {
        points: vec![Some(Point { x: 0.0, y: 1.0, low: 0.5, high: 2.0 })],
        ..line("range", 4, Kind::Published, &[])
    };
    let first = plot(vec![
        line("a", 0, Kind::Means, two),
        gap,
        line("b", 1, Kind::Course, two),
        line("printed", 5, Kind::Published, two),
    ]);
    let second = plot(vec![line("b", 1, Kind::Course, two), line("c", 2, Kind::Cloud, two), ranges]);
    let legend = |plots: &[&Plot]| {
        let panels = plots.iter().map(|plot| panel("", "", Content::Plot((*plot).clone()))).collect();
        Figure::new("f", "", "", panels).legend()
    };
    let entry = |name: &str, number, kind| (Sample::Line(Look::of_app(number), kind), name.to_string());
    let [a, b, c] = [entry("a", 0, Kind::Means), entry("b", 1, Kind::Course), entry("c", 2, Kind::Cloud)];
    let [printed, range] =
        [(Sample::Published, "published".to_string()), (Sample::PublishedRange, "published range".into())];
    assert_eq!(legend(&[&first]), [a.clone(), b.clone(), printed.clone()]);
    assert_eq!(legend(&[&second]), [b.clone(), c.clone(), range.clone()]);
    assert_eq!(legend(&[&first, &second]), [a, b, c, printed, range]);
    // Seven lines have markers, and six have none.
    let courses = |n| plot((0..n).map(|i| line(&format!("l{i}"), i, Kind::Course, two)).collect());
    for (n, kind) in [(6, Kind::Course), (7, Kind::Means)] {
        assert!(
            legend(&[&courses(n)])
                .iter()
                .all(|(sample, _)| matches!(sample, Sample::Line(_, found) if *found == kind)),
            "{n}"
        );
    }
    // Of bars, what the source printed.
    let with = |published| Content::Bars(Bars::new("", (0.0, 1.0), vec![Bar { published, ..bar(1.0) }]));
    let of = |content| Figure::new("f", "", "", vec![panel("", "", content)]).legend();
    assert_eq!(of(with(None)), []);
    assert_eq!(of(with(Some((2.0, 2.0)))), [(Sample::Published, "published".into())]);
    assert_eq!(of(with(Some((2.0, 3.0)))), [(Sample::PublishedRange, "published range".into())]);
}

/// Each line has its first marker at a position of its own, then one every 70 pixels.
#[test]
fn markers_of_courses_are_apart() {
    let points: Vec<(f64, f64)> = (0..=1000).map(|i| (f64::from(i), f64::from(i % 7))).collect();
    let draw = |n: usize| plot((0..n).map(|i| line("l", 5 * i, Kind::Course, &points)).collect()).draw().body;
    assert_eq!(draw(6).matches("<circle").count() + draw(6).matches("<polygon").count(), 0);
    let body = draw(8);
    let left = numbers(&body, "line class=\"axis\"", "x1")[0];
    let step = (388.0 - left) / 1000.0;
    for (i, group) in body.split("<g class=\"").skip(1).enumerate() {
        let marks: Vec<f64> = match numbers(group, "circle", "cx") {
            circles if circles.is_empty() => {
                // The middle of a polygon.
                let middle = |points: &str| {
                    let xs: Vec<f64> =
                        points.split(' ').map(|p| p.split(',').next().unwrap().parse().unwrap()).collect();
                    (xs.iter().copied().fold(f64::MAX, f64::min)
                        + xs.iter().copied().fold(f64::MIN, f64::max))
                        / 2.0
                };
                all(group, "polygon", "points").into_iter().map(middle).collect()
            }
            circles => circles,
        };
        let first = left + (11 * i % 70) as f64;
        let due = (0..9).map(|k| first + 70.0 * f64::from(k)).filter(|x| *x <= 388.0).count();
        assert!((marks.len() as i64 - due as i64).abs() <= 1 && marks.len() >= 4, "{i}: {marks:?}");
        assert!(marks[0] >= first - 0.1 && marks[0] <= first + step + 0.2, "{i}: {marks:?}, {first}");
        assert!(
            marks.windows(2).all(|pair| (70.0 - 0.2..71.0).contains(&(pair[1] - pair[0]))),
            "{i}: {marks:?}"
        );
    }
}

#[test]
fn long_lines_are_thin() {
    let fine = |n: u32| {
        let points: Vec<(f64, f64)> = (0..n).map(|i| (f64::from(i), f64::from(i))).collect();
        plot(vec![line("l", 0, Kind::Course, &points)]).draw().body.contains("class=\"fine\"")
    };
    assert_eq!([299, 300, 301].map(fine), [false, false, true]);
}

/// A gap divides a line; a mark is across the whole panel; of labels that would touch each other the second is left out.
#[test]
fn lines_have_gaps_and_axes_have_room() {
    let mut one = line("l", 0, Kind::Course, &[(0.0, 0.0), (1.0, 5.0), (2.0, 0.0), (3.0, 5.0), (4.0, 0.0)]);
    one.points[2] = None;
    let body = Plot { mark: Some(3.0), ..plot(vec![one]) }.draw().body;
    let left = numbers(&body, "line class=\"axis\"", "x1")[0];
    let x = |s: f64| left + s / 4.0 * (388.0 - left);
    let points: Vec<Vec<f64>> = all(&body, "polyline", "points")
        .iter()
        .map(|points| points.split([' ', ',']).map(|n| n.parse().unwrap()).collect())
        .collect();
    assert_eq!(points.len(), 2, "{points:?}");
    // From 10 to 208 pixels.
    near(&points[0], &[x(0.0), 208.0, x(1.0), 10.0]);
    near(&points[1], &[x(3.0), 10.0, x(4.0), 208.0]);
    let mark = |attribute| numbers(&body, "line class=\"mark\"", attribute)[0];
    near(&["x1", "x2", "y1", "y2"].map(mark), &[x(3.0), x(3.0), 10.0, 208.0]);
    let named = |names: [&str; 3]| {
        let names = names.iter().zip([0.0, 1.0, 4.0]).map(|(name, at)| (at, name.to_string())).collect();
        let axis = Axis::new("").named(names);
        let of = plot(vec![line("l", 0, Kind::Cloud, &[(0.0, 0.0), (4.0, 1.0)])]);
        let body = Plot { x: axis, ..of }.draw().body;
        ["the first of all", "the second of all", "third"].map(|name| body.contains(&format!(">{name}<")))
    };
    assert_eq!(named(["the first of all", "the second of all", "third"]), [true, false, true]);
    assert_eq!(named(["1", "2", "third"]), [false, false, true]);
}

/// Bars begin where the axis says, on whichever side of it they are.
#[test]
fn bars_of_both_signs_begin_at_nothing() {
    let bars = Bars::new("ms", (0.0, 10.0), vec![bar(-10.0), bar(5.0), bar(0.0)]);
    let body = bars.draw().body;
    // 388 pixels from -10 to 10, 6 from the edge.
    near(&numbers(&body, "rect", "x"), &[6.0, 200.0, 200.0]);
    near(&numbers(&body, "rect", "width"), &[194.0, 97.0, 1.0]);
    near(&numbers(&body, "rect", "y"), &[4.0 + 18.0, 44.0 + 18.0, 84.0 + 18.0]);
    near(&numbers(&body, "line class=\"axis\"", "x1"), &[200.0]);
    for (i, value) in [-10, 5, 0].into_iter().enumerate() {
        let y = 4 + 40 * i + 12;
        assert!(body.contains(&format!("<text x=\"10\" y=\"{y}\">bar of {value}</text>")), "{body}");
        assert!(
            body.contains(&format!("<text x=\"394\" y=\"{y}\" text-anchor=\"end\">{value} ms</text>")),
            "{body}"
        );
    }
    // What was printed asks for room too, as an interval does.
    let wide = |bar: Bar| Bars::new("ms", (0.0, 1.0), vec![bar]).axis.scale();
    assert_eq!(wide(Bar { published: Some((-2.5, 10.0)), ..bar(1.0) }).place(10.0), 1.0);
    assert_eq!(wide(Bar { published: Some((-2.5, 10.0)), ..bar(1.0) }).place(-2.5), 0.0);
    assert_eq!(wide(Bar { half_width: Some(4.0), ..bar(1.0) }).place(-3.0), 0.0);
    assert_eq!(wide(Bar { half_width: Some(4.0), ..bar(1.0) }).place(5.0), 1.0);
}

/// Parts that are more than a whole are drawn on a scale of their sum.
#[test]
fn shares_are_parts_of_the_largest_sum() {
    let part = |pale, share| Part { name: "a".into(), look: Look::of_app(0), pale, share };
    let shares = |bars: &[&[f64]]| {
        let bar = |of: &&[f64]| {
            (String::from("fifo"), of.iter().enumerate().map(|(i, share)| part(i > 0, *share)).collect())
        };
        Shares { bars: bars.iter().map(bar).collect() }.draw().body
    };
    let body = shares(&[&[0.25, 0.5], &[0.75, 0.5]]);
    let at = |share: f64| 6.0 + 388.0 * share / 1.25;
    near(&numbers(&body, "rect", "x"), &[at(0.0), at(0.25), at(0.0), at(0.75)]);
    near(&numbers(&body, "rect", "width"), &[0.25, 0.5, 0.75, 0.5].map(|share| at(share) - 6.0));
    assert_eq!(all(&body, "rect", "class"), ["bar", "bar pale", "bar", "bar pale"]);
    near(&numbers(&body, "line class=\"grid\"", "x1"), &[0.0, 0.25, 0.5, 0.75, 1.0].map(at));
    assert!(
        body.contains(&format!(
            "<text x=\"{}\" y=\"100\" text-anchor=\"middle\">50 %</text>",
            svg::coordinate(at(0.5))
        )),
        "{body}"
    );
    // Less than a whole: to 100 %.
    near(&numbers(&shares(&[&[0.25, 0.5]]), "rect", "width"), &[97.0, 194.0]);
}

/// Each row of the data has the name of its panel, its kind of value and its interval.
#[test]
fn data_have_their_panel_their_kind_and_their_interval() {
    let point = |x, y, half: f64| Some(Point { x, y, low: y - half, high: y + 2.0 * half });
    let means = Line {
        points: vec![point(1.0, 5.0, 1.0), None, point(2.5, -4.0, 0.0)],
        ..line("m", 0, Kind::Means, &[])
    };
    let lines =
        vec![means, line("c", 1, Kind::Course, &[(0.5, 0.125)]), line("d", 2, Kind::Cloud, &[(7.0, 8.0)])];
    let bars = vec![Bar { half_width: Some(0.5), published: Some((1.0, 3.0)), ..bar(2.0) }, bar(4.0)];
    let figure = Figure::new(
        "f",
        "",
        "",
        vec![
            panel("fifo", "q = 3, d", Content::Plot(plot(lines))),
            panel("", "alone", Content::Bars(Bars::new("ms", (0.0, 1.0), bars))),
        ],
    );
    let expected = "panel,series,kind,over,x,quantity,value,low,high\n\
        \"fifo: q = 3, d\",m,measured,s,1,Mb/s,5,4,7\n\
        \"fifo: q = 3, d\",m,measured,s,2.5,Mb/s,-4,,\n\
        \"fifo: q = 3, d\",c,measured,s,0.5,Mb/s,0.125,,\n\
        \"fifo: q = 3, d\",d,measured,s,7,Mb/s,8,,\n\
        alone,bar of 2,measured,,,ms,2,1.5,2.5\n\
        alone,bar of 2,published,,,ms,,1,3\n\
        alone,bar of 4,measured,,,ms,4,,\n";
    assert_eq!(figure.csv(), expected);
}

#[test]
fn a_page_has_small_figures_in_one_row() {
    let of = |n: usize, about: &str| {
        let panels = (0..n).map(|i| panel(if i == 0 { "a & b" } else { "" }, "of it", bars(1))).collect();
        Figure::new("f", "<Title>", about, panels).html()
    };
    for (n, class) in [(1, " class=\"short\""), (2, " class=\"short\""), (3, "")] {
        assert!(
            of(n, "").starts_with(&format!("<section{class}>\n<header>\n<h2>&lt;Title&gt;</h2>\n</header>")),
            "{n}"
        );
    }
    let page = of(3, "so & so");
    assert!(page.contains("</h2>\n<p>so &amp; so</p>\n</header>"), "{page}");
    assert_eq!(page.matches("<figcaption>of it</figcaption>").count(), 2, "{page}");
    assert!(page.contains("<figcaption><b>a &amp; b</b>: of it</figcaption>"), "{page}");
    assert!(page.contains("viewBox=\"0 0 400 66\""), "as high as it is: {page}");
}

#[test]
fn axes_with_names_have_room_beside_the_outer_ones() {
    let names = |places: &[f64]| places.iter().map(|at| (*at, format!("at {at}"))).collect::<Vec<_>>();
    let place = |axis: &Axis, values: [f64; 3]| values.map(|value| axis.scale().place(value));
    // 6 % of 10, and 0.4 at the least.
    let axis = Axis::new("").named(names(&[0.0, 3.0, 10.0]));
    near(&place(&axis, [-0.6, 5.0, 10.6]), &[0.0, 0.5, 1.0]);
    near(&place(&Axis::new("").named(names(&[1.0, 2.0])), [0.6, 1.5, 2.4]), &[0.0, 0.5, 1.0]);
    assert_eq!(axis.scale().ticks, names(&[0.0, 3.0, 10.0]));
    // A tenth, or a twentieth of the way in powers.
    near(
        &place(&Axis::new("").log().named(names(&[10.0, 20.0])), [10.0 / 1.1, 200f64.sqrt(), 22.0]),
        &[0.0, 0.5, 1.0],
    );
    let far = 1e4f64.powf(0.05);
    near(
        &place(&Axis::new("").log().named(names(&[1.0, 1e4])), [1.0 / far, 100.0, 1e4 * far]),
        &[0.0, 0.5, 1.0],
    );
    // Of two panels both names are ticks, each once, and room above the most if one asks for it.
    let mut both = axis;
    both.join(&Axis::new("").named(names(&[3.0, 12.0])));
    assert_eq!(both.scale().ticks, names(&[0.0, 3.0, 10.0, 12.0]));
    let mut plain = Axis::new("").covering([0.0, 40.0]);
    plain.join(&Axis::new("").covering([0.0, 10.0]).open());
    assert_eq!(plain.scale().place(45.0), 1.0);
}
