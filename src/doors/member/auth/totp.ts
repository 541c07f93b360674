import { countConfirmation, releaseConfirmation } from "#api/account-limits.ts";
import { rememberCode } from "#api/known-devices.ts";
import { readFromDatabase } from "#api/read-database.ts";
import { base32 } from "#domain/base32.ts";
import {
  hashRecoveryCode,
  isRecoveryCode,
  recoveryCode,
  recoveryCodeBytes,
  recoveryCodeCount,
} from "#domain/recovery-code.ts";
import { refused } from "#domain/result.ts";
import { totpSecretBytes, totpUri } from "#domain/totp.ts";
import { body, createRoute, endpoint, invalidField, refusals, refuse, returns, withJsonBody } from "#http/endpoint.ts";
import * as z from "#http/schema/zod.ts";
import { originOf } from "#http/transport.ts";
import { findCredential } from "#store/accounts/passwords.ts";
import { countRecoveryCodes, replaceRecoveryCodes } from "#store/accounts/recovery-codes.ts";
import type { SignedInUser } from "#store/accounts/scope.ts";
import {
  confirmSecondFactor,
  findSecondFactor,
  startSecondFactor,
  turnOffSecondFactor,
} from "#store/accounts/second-factors.ts";
import { inputRefusals, sessionRefusals, sessionWriteRefusals, signedIn, signedInToRead } from "../guards.ts";
import {
  code,
  confirmIdentity,
  encryptSecret,
  ownProof,
  passwordProof,
  proofWithPassword,
  stepOfCode,
  wrongCode,
} from "./confirm-identity.ts";
import { changeAccount, done, success } from "./start-session.ts";

const TotpStart = z.object({ password: ownProof.password }).openapi("TotpStart");

const RecoveryCodes = z
  .array(z.string())
  .length(recoveryCodeCount)
  .describe("Each can be used once instead of a code of the app. Shown only in this response.");

const StartedTotp = z
  .object({
    secret: z
      .string()
      .describe("For authenticator apps, in Base32.")
      .openapi({ example: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP" }),
    uri: z.string().describe("The secret as an `otpauth://` address, for a QR code."),
    recoveryCodes: RecoveryCodes,
  })
  .openapi("StartedTotp");

const randomBytes = (length: number) => crypto.getRandomValues(new Uint8Array(length));
const newRecoveryCodes = (): string[] =>
  Array.from({ length: recoveryCodeCount }, () => recoveryCode(randomBytes(recoveryCodeBytes)));

/**
 * Some identity providers don't say when they checked who the user is. Their users can't confirm without a second
 * factor, so they can set up one shortly after they have signed in.
 */
const setUpFrom = ({ confirmedAt, signedInAt }: Pick<SignedInUser, "confirmedAt" | "signedInAt">): number =>
  confirmedAt === 0 ? signedInAt : confirmedAt;

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
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "two_factor_on", "reauthenticate"]),
    },
  }),
  handler: async (c) => {
    const { password } = c.req.valid("json");
    const userId = c.get("userId");
    const confirmed = await confirmIdentity(c, { userId, confirmedAt: setUpFrom(c.var) }, (credential) =>
      credential.twoFactor ? refused({ code: "two_factor_on" }) : passwordProof(credential, password),
    );
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const secret = randomBytes(totpSecretBytes);
    const recoveryCodes = newRecoveryCodes();
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

const TotpConfirmation = z.object({ code: code() }).openapi("TotpConfirmation");

export const confirmTotp = endpoint({
  route: createRoute({
    method: "post",
    path: "/totp/confirm",
    operationId: "confirmTotp",
    tags: ["Sign-in"],
    summary: "Turn on two-factor authentication",
    description: "From then on, signing in requires a code.",
    ...withJsonBody(signedIn()),
    request: { body: body(TotpConfirmation) },
    responses: {
      ...done("Two-factor authentication is on"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "two_factor_on", "two_factor_off"]),
    },
  }),
  handler: async (c) => {
    const userId = c.get("userId");
    const overLimit = await countConfirmation(c, userId);
    if (overLimit !== undefined) return refuse(c, overLimit);
    const found = await readFromDatabase(c, "home", (database) => findSecondFactor(database, userId));
    if (!found.ok) return refuse(c, found.refusal);
    const factor = found.value;
    if (factor === undefined) return refuse(c, { code: "two_factor_off" });
    if (factor.confirmedAt !== null) return refuse(c, { code: "two_factor_on" });
    const step = await stepOfCode(c, userId, c.req.valid("json").code, factor);
    if (step === undefined) return refuse(c, wrongCode);
    releaseConfirmation(c, userId);
    const credential = await readFromDatabase(c, "home", (database) => findCredential(database, userId));
    if (!credential.ok) return refuse(c, credential.refusal);
    const account = { userId, email: credential.value?.email };
    const confirmed = await changeAccount(c, account, "two_factor_turned_on", (database, event) =>
      confirmSecondFactor(database, { secret: factor.secret, step }, event),
    );
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    if (!confirmed.value) return refuse(c, wrongCode);
    const secondFactorAt = c.get("call").at;
    if (credential.value !== undefined) await rememberCode(c, { ...credential.value, secondFactorAt });
    return c.json(success, 200);
  },
});

const TotpRemoval = z
  .object({
    password: ownProof.password,
    code: code().describe("A code of the authenticator app, or a recovery code."),
  })
  .openapi("TotpRemoval");

export const turnOffTotp = endpoint({
  route: createRoute({
    method: "delete",
    path: "/totp",
    operationId: "turnOffTotp",
    tags: ["Sign-in"],
    summary: "Turn off two-factor authentication",
    description:
      "Requires your password and a code. Refused while one of your workspaces requires two-factor authentication.",
    ...withJsonBody(signedIn()),
    request: { body: body(TotpRemoval) },
    responses: {
      ...done("Two-factor authentication is off"),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "two_factor_off", "two_factor_needed", "reauthenticate"]),
    },
  }),
  handler: async (c) => {
    const proof = c.req.valid("json");
    const confirmed = await confirmIdentity(c, c.var, (credential) =>
      credential.twoFactor ? proofWithPassword(credential, proof) : refused({ code: "two_factor_off" }),
    );
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const turnedOff = await changeAccount(c, confirmed.value, "two_factor_turned_off", turnOffSecondFactor);
    if (!turnedOff.ok) return refuse(c, turnedOff.refusal);
    return turnedOff.value === "off" ? c.json(success, 200) : refuse(c, { code: "two_factor_needed" });
  },
});

export const getTotp = endpoint({
  route: createRoute({
    method: "get",
    path: "/totp",
    operationId: "getTotp",
    tags: ["Sign-in"],
    summary: "Get the number of unused recovery codes",
    description: "Each code can be used once. Replace the codes before they run out.",
    ...signedInToRead(),
    responses: {
      ...returns(
        "The number",
        z.object({
          data: z
            .object({
              recoveryCodesLeft: z
                .int()
                .min(0)
                .max(recoveryCodeCount)
                .describe("0 if two-factor authentication is off."),
            })
            .openapi("TotpState"),
        }),
      ),
      ...refusals([...sessionRefusals]),
    },
  }),
  handler: async (c) => {
    const found = await readFromDatabase(c, "home", (database) => countRecoveryCodes(database, c.get("userId")));
    return found.ok ? c.json({ data: { recoveryCodesLeft: found.value } }, 200) : refuse(c, found.refusal);
  },
});

const RecoveryCodesReplacement = z
  .object({
    password: ownProof.password,
    // The caller can repeat the call if the response is lost: the app has a next code, and the recovery codes may be
    // gone.
    code: code().describe("A code of the authenticator app, not a recovery code."),
  })
  .openapi("RecoveryCodesReplacement");

export const replaceCodes = endpoint({
  route: createRoute({
    method: "post",
    path: "/totp/recovery-codes",
    operationId: "replaceRecoveryCodes",
    tags: ["Sign-in"],
    summary: "Replace your recovery codes",
    description:
      "Requires your password and a code. The previous recovery codes stop working. If the response is lost, repeat the call with the app's next code.",
    ...withJsonBody(signedIn()),
    request: { body: body(RecoveryCodesReplacement) },
    responses: {
      ...returns("The new recovery codes", z.object({ data: z.object({ recoveryCodes: RecoveryCodes }) })),
      ...refusals([...sessionWriteRefusals, ...inputRefusals, "two_factor_off", "reauthenticate"]),
    },
  }),
  handler: async (c) => {
    const proof = c.req.valid("json");
    const confirmed = await confirmIdentity(c, c.var, (credential) => {
      if (!credential.twoFactor) return refused({ code: "two_factor_off" });
      return isRecoveryCode(proof.code)
        ? refused(invalidField("code", "code must be a code of the authenticator app"))
        : proofWithPassword(credential, proof);
    });
    if (!confirmed.ok) return refuse(c, confirmed.refusal);
    const recoveryCodes = newRecoveryCodes();
    const replaced = await changeAccount(c, confirmed.value, "recovery_codes_replaced", (database, event) =>
      replaceRecoveryCodes(database, recoveryCodes.map(hashRecoveryCode), event),
    );
    if (!replaced.ok) return refuse(c, replaced.refusal);
    return replaced.value ? c.json({ data: { recoveryCodes } }, 200) : refuse(c, wrongCode);
  },
});
