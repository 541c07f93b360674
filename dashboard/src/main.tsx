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
  // Removes the placeholder that the HTML contains. Otherwise, the first screen would reuse its elements.
  root.replaceChildren();
  render(<App />, root);
}
