import { dayMs, hourMs } from "#domain/calendar.ts";
import { hashLinkToken, type LinkedApp, verificationLink } from "#domain/link-token.ts";
import { verifyAddress } from "#domain/mail/letters.ts";
import type { Ctx } from "#http/context.ts";
import { randomSecret } from "#http/secret.ts";
import type { AddressLink } from "#store/accounts/address-verifications.ts";
import { mailRow, strangersMailOrigin } from "./mail.ts";

const validMs = dayMs;

/** True if accounts must verify their email address before they can apply to programs or mail strangers. */
export const verifiesAddresses = (c: Ctx): boolean => strangersMailOrigin(c) !== undefined;

/** Creates the link with which an account verifies its email address. Undefined if the service sends no mail. */
export async function addressLink(c: Ctx, to: string, app: LinkedApp): Promise<AddressLink | undefined> {
  const origin = strangersMailOrigin(c);
  if (origin === undefined) return undefined;
  const token = randomSecret();
  const letter = verifyAddress({ link: verificationLink(origin, token, app), hours: validMs / hourMs });
  const expiresAt = c.get("call").at + validMs;
  const mail = await mailRow(c, {
    template: "verify_address",
    programId: null,
    mail: { to, ...letter },
    linkUntil: expiresAt,
  });
  return mail && { tokenHash: hashLinkToken(token), expiresAt, mail };
}
