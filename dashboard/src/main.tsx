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

takeLinkToken();
const root = document.getElementById("app");
if (root !== null) {
  // Otherwise the page's frame, which the HTML has, would lend its elements to the first screen.
  root.replaceChildren();
  render(<App />, root);
}
