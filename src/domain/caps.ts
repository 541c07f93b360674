export const caps = {
  ownedWorkspaces: { max: 20, message: "A user can own at most 20 workspaces" },
  programs: { max: 100, message: "A workspace can have at most 100 programs" },
  openInvitations: { max: 50, message: "A workspace can have at most 50 open invitations" },
  keys: { max: 20, message: "A program can have at most 20 live API keys" },
  codes: { max: 20, message: "A partner can have at most 20 codes" },
  /** Codes that the partner created. */
  ownCodes: { max: 5, message: "You can create at most 5 codes" },
  openApplications: { max: 500, message: "A program can have at most 500 open applications" },
  openClaims: { max: 1_000, message: "A program can have at most 1,000 open claims" },
  openClaimsOfPartner: { max: 20, message: "You can have at most 20 open claims" },
  partnerAccounts: { max: 20, message: "A partner can have at most 20 accounts" },
  terms: { max: 200, message: "A program can have at most 200 versions of its terms" },
  webhooks: { max: 10, message: "A program can have at most 10 webhooks" },
  units: { max: 10, message: "A program can have at most 10 units" },
  bonuses: {
    max: 5,
    message: "A program can have at most 5 bonuses at a time. An ended bonus counts until its last period is over.",
  },
  groups: { max: 500, message: "A program can have at most 500 groups" },
  coupons: { max: 50_000, message: "A program can have at most 50,000 coupons" },
  partners: { max: 50_000, message: "A program can have at most 50,000 partners" },
  versions: { max: 1_000, message: "This policy already has 1,000 versions. It can only be ended, with type none." },
  offerVersions: { max: 1_000, message: "This offer has been changed 1,000 times. It can only be ended." },
  memberships: {
    max: 1_000,
    message: "This partner has changed groups 1,000 times. They can only be removed from their group.",
  },
  refunds: { max: 1_000, message: "A sale can have at most 1,000 refund calls" },
  repeatedRefunds: { max: 100, message: "A sale with more than 100 refund calls can't be corrected in one call" },
  corrections: { max: 50, message: "A sale can be corrected at most 50 times" },
} as const;

export type Cap = keyof typeof caps;
