// SPDX-License-Identifier: MIT OR GPL-2.0-only
// Where the page begins.
import { render } from "preact";
import { App } from "./app.tsx";
import { apply } from "./lib/theme.ts";
import { adopt } from "./lib/token.ts";
import "./style/tokens.css";
import "./style/page.css";
import "./style/parts.css";

adopt();
apply();
render(<App />, document.getElementById("page")!);
