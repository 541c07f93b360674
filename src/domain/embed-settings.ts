export const embedFonts = ["system", "serif", "mono"] as const;

/** Null fields have the page's own values. */
export interface EmbedTheme {
  /** This and the other colors: `#rrggbb` in lower case. */
  readonly accent: string | null;
  readonly background: string | null;
  readonly text: string | null;
  /** Pixels. */
  readonly radius: number | null;
  readonly font: (typeof embedFonts)[number] | null;
}

export const maxOrigins = 20;
export const maxRadius = 24;
