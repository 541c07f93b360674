import { takeFragmentToken, tokenOfStart } from "./fragment-token.ts";
import "./embed.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { followHost } from "./host.ts";
import { followTheme } from "./theme.ts";
import { setToken } from "./token.ts";

if (tokenOfStart !== undefined) setToken(tokenOfStart);
addEventListener("hashchange", () => {
  const token = takeFragmentToken();
  if (token !== undefined) setToken(token);
});
followTheme();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
followHost(setToken);
