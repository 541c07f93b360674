import { embedIdBytes, embedIdOf, parseOrigin } from "#domain/embed.ts";
import { type EmbedTheme, embedFonts, maxOrigins, maxRadius } from "#domain/embed-settings.ts";
import type { ProgramId } from "#domain/ids.ts";
import * as fields from "#http/schema/form-fields.ts";
import { encoded, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { SaveEmbedCall } from "#operations/embed/save-embed.ts";
import type { EmbedRow } from "#store/embeds.ts";

const originsRule = `origins must be an array of at most ${maxOrigins} origins: https://<host>, or http://localhost:<port>, without a path`;

const color = (field: string) => {
  const message = `${field} must be a color such as #1f6feb`;
  return z
    .string(message)
    .toLowerCase()
    .regex(/^#[0-9a-f]{6}$/, message)
    .nullable()
    .default(null);
};

const Theme = z
  .object(
    {
      accent: color("accent").describe("Color of buttons and links."),
      background: color("background"),
      text: color("text"),
      radius: fields.integer("radius", 0, maxRadius).nullable().default(null).describe("Radius of corners, in pixels."),
      font: fields.oneOf("font", embedFonts).nullable().default(null),
    },
    "theme must be an object",
  )
  .describe(
    "Theme of the page. A field that is null uses the page's default; default colors follow the visitor's light or dark mode.",
  );

const shown = (field: string, isDefault: boolean) => fields.flag(field).default(isDefault);

const Show = z
  .object(
    {
      commissions: shown("commissions", true),
      payouts: shown("payouts", true),
      claims: shown("claims", false).describe("Lets users report a missing sale."),
    },
    "show must be an object",
  )
  .describe("Parts that the page shows. For hidden parts, the API responds with 404.");
export type EmbedShow = z.output<typeof Show>;

export const EmbedSettings = z
  .object({
    origins: z
      .array(z.string(originsRule), originsRule)
      .max(maxOrigins, originsRule)
      .refine((all) => all.every((text) => parseOrigin(text) !== undefined), originsRule)
      .transform((all) => [...new Set(all.map((text) => parseOrigin(text) ?? ""))])
      .describe(
        "Origins of your product. Only their pages can show the referral page in a frame. If these run in a frame themselves, list the outer pages' origins too. Required, unless `endTokens` is true.",
      )
      .optional(),
    theme: Theme.optional(),
    show: Show.optional(),
    endTokens: fields.flag("endTokens").default(false).describe("Ends all tokens that were issued before this call."),
  })
  .refine(({ origins, endTokens }) => origins !== undefined || endTokens, { path: ["origins"], error: originsRule })
  .openapi("EmbedSettings");

const parsed = <Value>(schema: z.ZodType<Value>) => encoded(schema, (json: string) => JSON.parse(json) as Value);

export const embedRecord = record("Embed", {
  embedId: z.string().describe("Id in the page's address, `/embed/<embedId>`. It never changes."),
  origins: parsed(z.array(z.string())),
  theme: parsed(Theme),
  show: Show,
  tokensEndedAt: instantOrNull("Time at which an owner last ended all tokens."),
});

export const showOf = (
  embed: Pick<EmbedRow, "showCommissions" | "showPayouts" | "showClaims"> | undefined,
): EmbedShow =>
  embed === undefined
    ? Show.parse({})
    : { commissions: embed.showCommissions, payouts: embed.showPayouts, claims: embed.showClaims };

export const embedReply = (embed: EmbedRow) => embedRecord.reply({ ...embed, show: showOf(embed) });

const themeText = (theme: EmbedTheme) => ({ theme: JSON.stringify(theme) });

const shownParts = ({ commissions, payouts, claims }: EmbedShow) => ({
  showCommissions: commissions,
  showPayouts: payouts,
  showClaims: claims,
});

export const saveCall = (
  programId: ProgramId,
  { origins, theme, show, endTokens }: z.output<typeof EmbedSettings>,
): Pick<SaveEmbedCall, "kind" | "settings" | "newPage" | "endsTokens"> => ({
  kind: "save-embed",
  settings: {
    ...(origins && { origins: JSON.stringify(origins) }),
    ...(theme && themeText(theme)),
    ...(show && shownParts(show)),
  },
  newPage: {
    embedId: embedIdOf(programId, crypto.getRandomValues(new Uint8Array(embedIdBytes))),
    origins: "[]",
    ...themeText(Theme.parse({})),
    ...shownParts(Show.parse({})),
  },
  endsTokens: endTokens,
});
