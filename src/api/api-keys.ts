import {
  type KeyScope,
  keyBooks,
  keyScopes,
  liveScopes,
  maskProgramKey,
  maxGraceHours,
  notInTest,
  originOf,
} from "#domain/program-key.ts";
import * as fields from "#http/schema/form-fields.ts";
import { id } from "#http/schema/integers.ts";
import { encoded, from, instant, instantOrNull, record } from "#http/schema/record.ts";
import * as z from "#http/schema/zod.ts";
import type { KeyView } from "#store/views/programs.ts";

const noScope = `scopes must be a list of ${keyScopes.join(", ")}, with at least one of them`;

export const grantFields = {
  name: () => fields.nonBlank("name", 60),
  scopes: () =>
    z
      .array(z.enum(keyScopes, noScope), noScope)
      .min(1, noScope)
      .describe(
        "`track`: tracking calls and the verification. `read`: readiness, explain, lists and events. `manage`: partners, coupons, imports and exports. `settle`: reports of settled and failed payout lines. A test key can't have `manage` or `settle`, and the program's first key can't have `settle`.",
      ),
  book: () => fields.oneOf("book", keyBooks).describe("`test`: the key works only in test mode."),
};

const grantRule = (scope: KeyScope) =>
  fields.rule(
    ["scopes"],
    notInTest(scope),
    ({ scopes, book }: Readonly<Record<string, unknown>>) =>
      book !== "test" || !Array.isArray(scopes) || !scopes.includes(scope),
  );

export const [noManageInTest, noSettleInTest] = [grantRule(liveScopes[0]), grantRule(liveScopes[1])];

export const Rotation = z
  .object({
    graceHours: fields
      .optional(fields.integer("graceHours", 0, maxGraceHours))
      .describe("Hours for which the previous key keeps working. Defaults to 24; 0 retires it at once."),
  })
  .openapi("Rotation");

const grant = {
  id: id(),
  name: z.string(),
  scopes: encoded(z.array(z.enum(keyScopes)), (scopes: readonly KeyScope[]) => [...scopes]),
  book: z.enum(keyBooks),
};

export const apiKeyRecord = record("ApiKey", {
  ...grant,
  originId: id().describe(
    "`id` of the first key in this key's chain of rotations; its own `id` if it was never rotated.",
  ),
  masked: z.string(),
  createdAt: instant(),
  lastUsedAt: instantOrNull("Start of the hour of the key's last accepted call. Null if none is recorded."),
  retiresAt: instantOrNull("The key is refused from this time on. Null if it isn't being replaced."),
});

export const apiKeyReply = (key: KeyView) =>
  apiKeyRecord.reply({ ...key, originId: originOf(key), masked: maskProgramKey(key.programId, key.lastFour) });

export const newKeyRecord = record("NewApiKey", {
  ...grant,
  apiKey: from("apiToken", z.string().describe("The API key, shown only in this response.")),
});

export const rotatedKeyRecord = newKeyRecord.extend("RotatedApiKey", { previousRetiresAt: instant() });
