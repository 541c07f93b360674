import { moneyText } from "../explain/text.ts";
import type { PartnerId, ProgramId } from "../ids.ts";
import { type ClosingSums, shownSums } from "../statement-sums.ts";
import { type Unit, unitsByCode } from "../units.ts";
import { isVisible } from "../visible-text.ts";
import { nameInMail, referenceInMail } from "./harmless.ts";
import { letterOf, type Paragraph, quoted } from "./letter.ts";
import type { Letter } from "./mail.ts";

// A letter is the text of a mail. It says what happened, and has one link into the app. Of the letters to a partner
// without an account, only an invitation has a link. A program's letters name the program as the contact. No letter
// contains a reason that only the owner may see.

interface OfProgram {
  readonly programName: string;
  /** The origin of the service without a trailing slash. */
  readonly origin: string;
}

const partnerApp = (origin: string): Paragraph => ({ link: `${origin}/partner/` });

/** Replaces the link in a mail to a partner without an account, who couldn't sign in. Only an invitation gives access. */
const noAccess = (name: string): string =>
  `You can't sign in yet: no account has access to your partner profile. To see your links, commissions and payouts, ask ${nameInMail(name)} for an invitation.`;

const askProgram = (name: string): string => `Questions? Ask ${nameInMail(name)}, which runs the program.`;

const noteOf = (name: string, note: string | null): readonly string[] =>
  note === null ? [] : [`${nameInMail(name)} adds:`, quoted(note)];

export function partnerInvitation(of: {
  programName: string;
  partnerName: string;
  link: string;
  days: number;
}): Letter {
  const name = nameInMail(of.programName);
  return letterOf(`${name} invites you to its partner program`, [
    isVisible(of.partnerName) ? `Hello ${nameInMail(of.partnerName)},` : "Hello,",
    `${name} invites you to see your links, commissions and payouts. Open this link to sign in or create an account:`,
    { link: of.link },
    `The link works once, within ${of.days} days. If you didn't expect this invitation, ignore this email.`,
    askProgram(of.programName),
  ]);
}

export function applicationReceived({ programName, origin }: OfProgram): Letter {
  const name = nameInMail(programName);
  return letterOf(`${name} received your application`, [
    `Thank you for applying to the partner program of ${name}. You will get an email once your application is decided.`,
    partnerApp(origin),
    askProgram(programName),
  ]);
}

export function applicationApproved({ programName, origin }: OfProgram): Letter {
  const name = nameInMail(programName);
  return letterOf(`You are now a partner of ${name}`, [
    `${name} approved your application. Your referral link, commissions and payouts are here:`,
    partnerApp(origin),
    askProgram(programName),
  ]);
}

export function applicationDeclined(of: OfProgram & { readonly partnerNote: string | null }): Letter {
  const name = nameInMail(of.programName);
  return letterOf(`${name} declined your application`, [
    `${name} declined your application to its partner program.`,
    ...noteOf(of.programName, of.partnerNote),
    partnerApp(of.origin),
    askProgram(of.programName),
  ]);
}

interface ToPartner extends OfProgram {
  /** True if an account has access to the partner. */
  readonly hasAccount: boolean;
}

const signIn = ({ hasAccount, origin, programName }: ToPartner): Paragraph =>
  hasAccount ? partnerApp(origin) : noAccess(programName);

/** Sent to the previous address if the address changed, or to the current address if the payment details changed. */
export function detailsChanged(of: ToPartner & { readonly what: "email" | "payment" }): Letter {
  const name = nameInMail(of.programName);
  const what = of.what === "email" ? "email address" : "payment details";
  const otherwise = of.hasAccount ? "change your password, and tell the program now" : "tell the program now";
  return letterOf(`Your ${what} at ${name} changed`, [
    `The ${what} of your partner profile at ${name} changed. Payouts may be withheld for some days after such a change.`,
    `If this was you, or you asked for it, there is nothing to do. Otherwise ${otherwise}.`,
    ...(of.hasAccount ? [partnerApp(of.origin)] : []),
    askProgram(of.programName),
  ]);
}

interface OfPartner extends OfProgram {
  readonly programId: ProgramId;
  readonly partnerId: PartnerId;
}

const partnerPages = ({ origin, programId, partnerId }: OfPartner): string =>
  `${origin}/partner/programs/${programId}/partners/${partnerId}`;

export function detailsRequested(of: OfPartner): Letter {
  const name = nameInMail(of.programName);
  return letterOf(`${name} asks where to pay you`, [
    `${name} doesn't know yet where to pay what you earn. Sign in, and enter your payment details:`,
    { link: `${partnerPages(of)}/profile` },
    "Enter them there only, and never send account details by email.",
    askProgram(of.programName),
  ]);
}

interface OfLine extends ToPartner {
  readonly amountCents: number;
  readonly currency: string;
  /** Null if the amounts are in a currency. */
  readonly unit: Unit | null;
  readonly reference: string;
}

const amountText = ({ currency, unit }: Pick<OfLine, "currency" | "unit">, cents: number): string =>
  moneyText(cents, currency, unitsByCode(unit === null ? [] : [unit]));

interface OfStatement extends OfLine, OfPartner {
  readonly number: number;
  readonly sums: ClosingSums;
}

/** The sums of the statement. Entries, addresses and tax ids aren't in the mail, but are shown after signing in. */
const sumsOf = (of: OfStatement): string =>
  shownSums(of.sums)
    .map(([title, cents, name]) => {
      const reference = name === "paid" ? `, reference ${referenceInMail(of.reference)}` : "";
      return `${title}: ${amountText(of, cents)}${reference}`;
    })
    .join("\n");

/** The sums of a statement, and where to read all of it. */
const statementParagraphs = (of: OfStatement): readonly Paragraph[] => [
  `Here is your statement ${of.number} of ${nameInMail(of.programName)}.`,
  sumsOf(of),
  ...(of.hasAccount
    ? [
        "Sign in to read, print or save the whole statement:",
        { link: `${partnerPages(of)}/payouts?tab=statement&number=${of.number}` },
      ]
    : [noAccess(of.programName)]),
  askProgram(of.programName),
];

/** Reports a payment together with its statement, so that both are in one mail. */
export function payoutPaid(of: OfStatement): Letter {
  const [name, amount] = [nameInMail(of.programName), amountText(of, of.amountCents)];
  return letterOf(`${name} paid you ${amount}`, [
    `${name} marked your payout of ${amount} as paid. It can take some days to arrive.`,
    ...statementParagraphs(of),
  ]);
}

/** The statement of a payment that no mail has reported. */
export const statement = (of: OfStatement): Letter =>
  letterOf(
    `Statement ${of.number} of ${nameInMail(of.programName)}: ${amountText(of, of.amountCents)}`,
    statementParagraphs(of),
  );

interface Failed extends OfLine {
  readonly partnerNote: string | null;
  /** True if the amount became payable again before it was paid. False if the payment was returned. */
  readonly isGivenBack?: boolean;
}

export function lineFailed({ isGivenBack = false, ...of }: Failed): Letter {
  const [name, amount] = [nameInMail(of.programName), amountText(of, of.amountCents)];
  const reference = referenceInMail(of.reference);
  const back = "The amount is part of your balance again, and can be paid out with the next payout.";
  const [subject, text] = isGivenBack
    ? [
        `${name} couldn't pay you ${amount}`,
        `${name} couldn't pay the ${amount} with the reference ${reference}. ${back}`,
      ]
    : [
        `Your payment of ${amount} from ${name} came back`,
        `The payment of ${amount} with the reference ${reference} didn't reach you. ${back}${of.hasAccount ? " Please check your payment details." : ""}`,
      ];
  return letterOf(subject, [text, ...noteOf(of.programName, of.partnerNote), signIn(of), askProgram(of.programName)]);
}

export const verifyAddress = (of: { link: string; hours: number }): Letter =>
  letterOf("Confirm your email address", [
    "Open this link to confirm that this email address is yours:",
    { link: of.link },
    `The link works within ${of.hours} hours. If you didn't create an account, ignore this email.`,
  ]);

export const passwordReset = (of: { link: string; minutes: number }): Letter =>
  letterOf("Reset your password", [
    "Someone asked to reset the password of your account. Open this link to choose a new one:",
    { link: of.link },
    `The link works once, within ${of.minutes} minutes. If it wasn't you, ignore this email: your password stays as it is.`,
  ]);
