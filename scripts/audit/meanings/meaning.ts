/** The remedies for findings, each with its title on the page. */
export const remedies = {
  schema: [
    "The schema",
    "Run `migrate`. If the finding remains, the schema was changed manually: restore the definition that the migration contains.",
  ],
  money: [
    "Amounts",
    "Don't create or confirm payouts for these partners until you know the cause. Restore the last backup without findings into another folder, and compare the rows. Correct the amount by an adjustment or a correction of the sale, never by SQL.",
  ],
  payout: [
    "Payouts",
    "Don't send the payment file, and don't mark the payout as paid. Compare the payout's lines with the last backup that had no findings and, if the payout was already paid, with your bank statement. If the payout hasn't been paid, cancel it and create a new one.",
  ],
  address: [
    "Where money goes",
    "Stop the transfer. Ask the partner for the address or account through a channel other than this address, and set the right one in the dashboard. Then find out who can write to the database: the service didn't change this row.",
  ],
  attribution: [
    "Attribution",
    "Look at the sale's explanation in the dashboard, and at your shop's data about the customer. If the sale is attributed to the wrong partner, correct the sale or assign the customer. Otherwise report the rows.",
  ],
  explanation: [
    "Explanations",
    "The amounts are checked by other rules, and may be right. This finding is about what owners and partners are shown. Report the rows with the time of the decision (`decidedAt`), which identifies the version of the service that wrote them.",
  ],
  trail: [
    "The audit trail",
    "A row, or an entry of the audit trail, was changed without the service. Find out who can write to the database. Then set the correct value in the dashboard, which writes an entry. The last backup without this finding has the original value.",
  ],
  access: [
    "Access",
    "Check in the dashboard who has access, end any access that no one granted, and find out who can write to the database.",
  ],
  keys: [
    "Keys",
    "Rotate the key in the finding, end keys that no one recognizes, and find out who can write to the database.",
  ],
  feed: [
    "The feed",
    "Systems that read the feed or receive webhooks may have missed an event, or received one that didn't happen. Have them read the lists again, then report the rows.",
  ],
  counts: [
    "Counts",
    "Charts and figures by day are wrong. Amounts that were already decided aren't affected, but counts for tiers and bonuses affect later ones. Triggers maintain the counts, so check first whether the schema has a finding. Then report the rows.",
  ],
  erasure: [
    "Erasures",
    "Erase the person again by the same key or address. If the database was restored or copied, run `audit --erasures` with the file of erasures.",
  ],
  clock: [
    "Clocks",
    "Check the machine's clock and its time service. Then check whether statements that include the day of these rows were already sent to partners: the sums of these statements may have changed.",
  ],
  shards: [
    "Shards",
    "Run `shards check --repair`. After a restore of one database, restore the others from the same backup.",
  ],
  move: ["Shard migrations", "Finish the shard migration by running its command again, or abandon the migration."],
  report: [
    "Anything else",
    "Report the rows, with the version of the service and the time when they appeared. The last backup without findings has the original values.",
  ],
} as const;

export type Remedy = keyof typeof remedies;

/** The meaning of each rule, by the rule's name. */
export type Meanings = Readonly<Record<string, readonly [means: string, remedy: Remedy]>>;
