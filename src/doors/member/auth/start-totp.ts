import { readFromDatabase } from "#api/read-database.ts";
import { base32 } from "#domain/base32.ts";
import { hashRecoveryCode, recoveryCode, recoveryCodeBytes, recoveryCodeCount } from "#domain/recovery-code.ts";
import { ok, refused } from "#domain/result.ts";
import { totpSecretBytes, totpUri } from "#domain/totp.ts";
import { body, createRoute, endpoint, returns, refusals, refuse, withJsonBody } from "#http/endpoint.ts";
import * as fields from "#http/schema/form-fields.ts";
import * as z from "#http/schema/zod.ts";
import { originOf } from "#http/transport.ts";
import { startSecondFactor } from "#store/accounts/second-factors.ts";
import { inputRefusals, sessionWriteRefusals, signedIn } from "../guards.ts";
import { confirmIdentity } from "./confirm-identity.ts";
import { encryptSecret } from "./second-factor.ts";

const TotpStart = z.object({ password: fields.text("password", 128) }).openapi("TotpStart");

const StartedTotp = z
  .object({
    secret: z
      .string()
      .describe("For authenticator apps, in Base32.")
      .openapi({ example: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" }),
    uri: z.string().describe("The same as an `otpauth://` address, for a QR code."),
    recoveryCodes: z
      .array(z.string())
      .length(recoveryCodeCount)
      .describe("Each replaces a code once. Shown only in this response."),
  })
  .openapi("StartedTotp");

const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));

export const startTotp = endpoint({
  route: createRoute({
    method: "post",
    path: "/totp",
    operationId: "startTotp",
    tags: ["Sign-in"],
    summary: "Set up two-factor authentication",
    description:
      "It stays off until you confirm it with a code. Calling this again replaces a setup that isn't confirmed.",
    ...withJsonBody(signedIn()),
    request: { body: body(TotpStart) },
    responses: {
      ...returns("Secret and recovery codes", z.object({ data: StartedTotp })),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "two_factor_on"]),
    },
  }),
  handler: async (c) => {
    const { password } = c.req.valid("json");
    const userId = c.get("userId");
    const confirmed = await confirmIdentity(c, userId, ({ twoFactor }) =>
      twoFactor ? refused({ code: "two_factor_on" }) : ok({ password }),
    );
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const secret = randomBytes(totpSecretBytes);
    const recoveryCodes = Array.from({ length: recoveryCodeCount }, () => recoveryCode(randomBytes(recoveryCodeBytes)));
    const factor = {
      userId,
      secret: await encryptSecret(c, userId, secret),
      codeHashes: recoveryCodes.map(hashRecoveryCode),
    };
    const started = await readFromDatabase(c, "home", (database) =>
      startSecondFactor(database, factor, c.get("call").at),
    );
    if (!started.ok) return refuse(c, started.refusal);
    if (!started.value) return refuse(c, { code: "two_factor_on" });
    const uri = totpUri(secret, { issuer: new URL(originOf(c)).host, account: confirmed.value.email });
    return c.json({ data: { secret: base32(secret), uri, recoveryCodes } }, 200);
  },
});
