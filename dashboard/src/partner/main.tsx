import "../styles/tokens.css";
import "../styles/base.css";
import "../styles/components.css";
import "../styles/shell.css";
import "../styles/touch.css";
import "../styles/print.css";
import "./partner.css";
import "../theme.ts";
import { render } from "preact";
import { takeLinkToken } from "../link-token.ts";
import { keepFocus } from "../shell/page-focus.ts";
import { App } from "./app.tsx";
import { followJoinLink } from "./join-link.ts";

takeLinkToken();
keepFocus();
followJoinLink();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
