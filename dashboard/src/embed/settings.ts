import type { Theme } from "./palette.ts";

/** The owner's settings, which the service writes into the page's HTML. */
interface Settings {
  readonly embedId: string;
  /** The origins that can frame the page and send it tokens. */
  readonly origins: readonly string[];
  readonly theme: Theme;
  readonly show: { readonly commissions: boolean; readonly payouts: boolean; readonly claims: boolean };
  /** False if another site opened or framed the page, because that site may have set the URL's fragment. */
  readonly takesFragment: boolean;
}

export const settings = JSON.parse(document.getElementById("app")?.dataset.settings ?? "") as Settings;
