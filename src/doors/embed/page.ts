import type { Context } from "hono";
import { showOf } from "#api/embed.ts";
import { readFromShards } from "#api/read-database.ts";
import { programOfEmbed } from "#domain/embed.ts";
import { escaped } from "#domain/mail/letter.ts";
import { assetsOf } from "#env.ts";
import type { AppEnv } from "#http/context.ts";
import { pageHeaders } from "#http/page-headers.ts";
import { rememberShard, shardOfProgram } from "#http/places.ts";
import { announceLimit, countByAddress } from "#http/rate-limits.ts";
import { refuse } from "#http/refusal/refuse.ts";
import type { EmbedRow } from "#store/embeds.ts";
import { readEmbedPage } from "#store/views/embeds.ts";

/** The built page contains this element, to which the settings are added. */
const root = '<div id="app"></div>';

/**
 * True if the page may take a token from the fragment of its address. Any site can link to the page with a token of its
 * own, so the page takes a token only if an app or a person opened the address. A browser that doesn't send
 * `Sec-Fetch-Site` is assumed to be an app's web view.
 */
const takesFragment = (site: string | undefined): boolean =>
  site === undefined || site === "none" || site === "same-origin";

const withSettings = (html: string, embed: EmbedRow, site: string | undefined): string => {
  const { embedId, origins, theme } = embed;
  const settings = {
    embedId,
    origins: JSON.parse(origins),
    theme: JSON.parse(theme),
    show: showOf(embed),
    takesFragment: takesFragment(site),
  };
  return html.replace(root, () => `<div id="app" data-settings="${escaped(JSON.stringify(settings))}"></div>`);
};

/** The headers of all pages, changed so that pages of the given origins can frame this one. */
function headersFor(origins: readonly string[]): Readonly<Record<string, string | undefined>> {
  const ancestors = origins.length === 0 ? "'none'" : origins.join(" ");
  return {
    ...pageHeaders,
    "Content-Security-Policy": pageHeaders["Content-Security-Policy"].replace(
      "frame-ancestors 'none'",
      `frame-ancestors ${ancestors}`,
    ),
    // `X-Frame-Options` can't list several origins.
    "X-Frame-Options": undefined,
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Cross-Origin-Embedder-Policy": "require-corp",
    "Cache-Control": "no-store",
  };
}

/**
 * Serves the referral page, which the integrator's product frames. The HTML contains no data of the user: the page
 * reads the data with a token.
 */
export async function embedPage(c: Context<AppEnv>) {
  const embedId = c.req.param("embedId") ?? "";
  const programId = programOfEmbed(embedId);
  const assets = assetsOf(c.env);
  if (programId === undefined || assets === undefined) return c.notFound();
  announceLimit(c, "userRead", "embed-page");
  const overLimit = await countByAddress(c, "userRead", "embed-page");
  if (overLimit !== undefined) return refuse(c, overLimit);
  const asked = { programId, guess: shardOfProgram(c.env, programId) };
  const read = await readFromShards(c, (databaseOf) => readEmbedPage(databaseOf, asked));
  if (!read.ok) return refuse(c, read.refusal);
  const { there, shard } = read.value;
  rememberShard(programId, shard);
  const { program, embed } = there;
  if (embed?.embedId !== embedId || program?.archivedAt !== null) return c.notFound();
  const page = await assets.fetch(new URL("/embed/", c.req.url));
  if (!page.ok) return c.notFound();
  for (const [name, value] of Object.entries(headersFor(JSON.parse(embed.origins)))) c.header(name, value);
  return c.html(withSettings(await page.text(), embed, c.req.header("Sec-Fetch-Site")));
}
