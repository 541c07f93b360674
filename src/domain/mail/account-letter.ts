import { letterOf, type Paragraph } from "./letter.ts";
import type { Letter } from "./mail.ts";

/** Subject and text for each change that an account is notified of. */
const texts = {
  password_changed: [
    "Your password was changed",
    "The password of your account was changed, and its other sessions ended.",
  ],
  password_reset: ["Your password was reset", "The password of your account was reset, and all of its sessions ended."],
  two_factor_turned_on: [
    "Two-factor authentication was turned on",
    "Two-factor authentication was turned on for your account. From now on, signing in from a new browser requires a code.",
  ],
  two_factor_turned_off: [
    "Two-factor authentication was turned off",
    "Two-factor authentication was turned off for your account. From now on, signing in requires no code.",
  ],
  two_factor_removed: [
    "Two-factor authentication was removed",
    "The operator of the service turned off two-factor authentication for your account, as they do for someone who has lost their phone and recovery codes. From now on, signing in requires no code.",
  ],
  recovery_code_used: [
    "A recovery code was used",
    "A recovery code of your account was used in place of a code from your authenticator app. It can't be used again.",
  ],
  recovery_codes_replaced: [
    "Your recovery codes were replaced",
    "Your account has new recovery codes. The previous ones don't work anymore. If this wasn't you, replace them again after you have reset your password.",
  ],
  identity_linked: [
    "Your account was linked to an identity",
    "Your account was linked to an identity at your organization's identity provider. From now on, signing in there also signs you in to your account.",
  ],
  identity_removed: [
    "The identity of your account was removed",
    "Your account is no longer linked to an identity at your organization's identity provider. Sign in with your password.",
  ],
  new_browser: [
    "New sign-in to your account",
    "Someone signed in to your account from a browser that hasn't been used to sign in since the password was last set. You get at most one such email a day.",
  ],
} as const satisfies Readonly<Record<string, readonly [subject: string, text: string]>>;
export type AccountChange = keyof typeof texts;

interface Changed {
  readonly what: AccountChange;
  /** Browser and system, such as "Firefox on Linux". */
  readonly device: string | null;
  /** The country. */
  readonly place: string | null;
  /** Milliseconds. */
  readonly at: number;
  /** Without a trailing slash. Undefined if the service's address is only known from requests. */
  readonly origin: string | undefined;
  /** True if the account has access to a partner. The account may also be a member of a workspace. */
  readonly isPartner: boolean;
}

const linksOf = (origin: string, isPartner: boolean): readonly Paragraph[] =>
  isPartner
    ? ["Your page as a partner:", { link: `${origin}/partner/` }, "Workspaces:", { link: `${origin}/app/` }]
    : [{ link: `${origin}/app/` }];

export function accountChanged({ what, device, place, at, origin, isPartner }: Changed): Letter {
  const [subject, text] = texts[what];
  const time = `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  return letterOf(subject, [
    text,
    [`Time: ${time}`, device && `Browser: ${device}`, place && `Country: ${place}`].filter(Boolean).join("\n"),
    "If this was you, there is nothing to do. Otherwise reset your password with the link on the sign-in page, then check your account's sessions and two-factor authentication.",
    ...(origin === undefined ? [] : linksOf(origin, isPartner)),
  ]);
}
