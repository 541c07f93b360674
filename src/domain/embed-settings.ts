export const embedFonts = ["system", "serif", "mono"] as const;

/** A null field means the page's default. */
export interface EmbedTheme {
  /** Colors are `#rrggbb` in lower case. */
  readonly accent: string | null;
  readonly background: string | null;
  readonly text: string | null;
  /** In pixels. */
  readonly radius: number | null;
  readonly font: (typeof embedFonts)[number] | null;
}

export const maxOrigins = 20;
export const maxRadius = 24;
