import { moneyTitles } from "#domain/commission-status.ts";
import { bookTitles } from "../../key-grants.ts";

const signalWords = { off: "off", flag: "flag", hold: "hold for review" };

/** Words for values, by field, because a name or a reason may have the same text as one of these values. */
export const words: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  status: {
    pending: moneyTitles.pending.toLowerCase(),
    approved: moneyTitles.payable.toLowerCase(),
    final: "ready to pay",
  },
  leadAuth: { browser_allowed: "browser and server", server_required: "server only" },
  attributionModel: { last_click: "last click", first_click: "first click" },
  mode: { closed: "closed", approval: "open, you decide on each", open: "open, applicants become partners at once" },
  state: { given: "given", none: "none", inherited: "the program's" },
  book: { both: bookTitles.both.toLowerCase(), test: bookTitles.test.toLowerCase() },
  windowUntil: { lead: "lead", first_sale: "first payment" },
  requireTwoFactor: { true: "required", false: "not required" },
  payoutApproval: { one_person: "one person", two_people: "two people" },
  settledBy: { person: "a person", api: "your own system" },
  testMode: { true: "yes", false: "no" },
  requireDetails: { true: "yes", false: "no" },
  selfReferral: signalWords,
  duplicateSource: signalWords,
  blockedSource: signalWords,
  manySources: signalWords,
  isRiskExempt: { true: "yes", false: "no" },
  showCommissions: { true: "yes", false: "no" },
  showPayouts: { true: "yes", false: "no" },
  showClaims: { true: "yes", false: "no" },
  partnersSeeRevenue: { true: "yes", false: "no" },
  format: { csv: "payment list", paypal: "PayPal", wise: "Wise", sepa: "bank (SEPA)" },
  scope: { one_time: "first sale only", recurring: "sales in the first months", lifetime: "every sale" },
};
