import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/components.css";
import "./styles/shell.css";
import "./styles/touch.css";
import "./styles/print.css";
import "./theme.ts";
import { render } from "preact";
import { App } from "./app.tsx";
import { takeLinkToken } from "./link-token.ts";
import { keepFocus } from "./shell/page-focus.ts";

takeLinkToken();
keepFocus();
const root = document.getElementById("app");
if (root !== null) {
  // Removes the HTML's own frame of the page, whose elements the first screen would otherwise reuse.
  root.replaceChildren();
  render(<App />, root);
}
