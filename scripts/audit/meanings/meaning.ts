/** The remedies of findings, each with a title for the page. */
export const remedies = {
  schema: [
    "The schema",
    "Run `migrate`. If the finding stays, somebody changed the schema by hand: restore the definition that the migration names.",
  ],
  money: [
    "Amounts",
    "Create and confirm no payout for these partners until you know why. Compare the rows with those of the last backup whose audit is right, in another folder. Put the amount right by an adjustment or a correction of the sale, never by SQL.",
  ],
  payout: [
    "Payouts",
    "Don't send the payout's file, and don't confirm it. Compare its lines with the last backup whose audit is right and, if it was paid, with your bank statement. Cancel what isn't paid, and create the payout again.",
  ],
  address: [
    "Where money goes",
    "Stop the transfer. Ask the partner for the address or account in another way than by this address, set it in the dashboard, then find out who can write to the database: the service didn't change this row.",
  ],
  attribution: [
    "Attribution",
    "Look at the sale's explanation in the dashboard, and at what your shop knows of the customer. If the wrong partner has it, correct the sale or assign the customer; else report the rows.",
  ],
  explanation: [
    "Explanations",
    "The amounts have rules of their own, and may be right: this is about what owners and partners are shown. Report the rows with the version that decided them (`decidedAt`).",
  ],
  trail: [
    "The audit trail",
    "A row or an entry of the audit trail was changed without the service. Find out who can write to the database, and set what is wrong again in the dashboard, which writes an entry. The last backup shows what it was.",
  ],
  access: [
    "Access",
    "Look in the dashboard at who has access, end the access that nobody granted, and find out who can write to the database.",
  ],
  keys: [
    "Keys",
    "Rotate the key that the row names, end keys that nobody recognizes, and find out who can write to the database.",
  ],
  feed: [
    "The feed",
    "Readers of the feed and receivers of webhooks may have missed an event, or received one that didn't happen. Let them read the records again, then report the rows.",
  ],
  counts: [
    "Counts",
    "Charts and lists of days are wrong, money isn't. Counts are kept by triggers, so look first whether the schema has a finding. Then report the rows.",
  ],
  erasure: [
    "Erasures",
    "Erase the person again by the same key or address. If the database was restored or copied, run `audit --erasures` with the file of what was erased.",
  ],
  clock: ["Clocks", "Check the machine's clock and its time service, then whether statements of that day were sent."],
  shards: [
    "Shards",
    "Run `shards check --repair`. After a restore of one database, restore the others of the same backup.",
  ],
  move: ["Moves", "Finish the move by the same command, or abandon it."],
  report: [
    "Anything else",
    "Report the rows, with the version and the time since when they are there. The last backup whose audit is right shows what they were.",
  ],
} as const;

export type Remedy = keyof typeof remedies;

/** The meaning of each rule, by its name. */
export type Meanings = Readonly<Record<string, readonly [means: string, remedy: Remedy]>>;
