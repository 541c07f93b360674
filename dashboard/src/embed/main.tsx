import { takeFragmentToken, tokenOfStart } from "./fragment-token.ts";
import "./embed.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { followHost } from "./host.ts";
import { settings } from "./settings.ts";
import { followTheme } from "./theme.ts";
import { setToken } from "./token.ts";

const takeFromFragment = (token: string | undefined): void => {
  if (token !== undefined && settings.takesFragment) setToken(token);
};
takeFromFragment(tokenOfStart);
addEventListener("hashchange", () => takeFromFragment(takeFragmentToken()));
followTheme();
const root = document.getElementById("app");
if (root !== null) render(<App />, root);
followHost(setToken);
