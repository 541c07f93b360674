// The bindings of rate limits in wrangler.toml, by the limits' names in the code.

export const rateLimits = {
  click: "CLICK_LIMIT",
  keyedClick: "CLICK_KEY_LIMIT",
  programClick: "CLICK_PROGRAM_LIMIT",
  lead: "LEAD_LIMIT",
  keyedLead: "LEAD_KEY_LIMIT",
  programLead: "LEAD_PROGRAM_LIMIT",
  offer: "OFFER_LIMIT",
  keyedOffer: "OFFER_KEY_LIMIT",
  programOffer: "OFFER_PROGRAM_LIMIT",
  sale: "SALE_LIMIT",
  readiness: "READINESS_LIMIT",
  explain: "EXPLAIN_LIMIT",
  feed: "FEED_LIMIT",
  keyedList: "LIST_LIMIT",
  manage: "MANAGE_LIMIT",
  embedToken: "EMBED_TOKEN_LIMIT",
  embed: "EMBED_LIMIT",
  import: "IMPORT_LIMIT",
  importCheck: "IMPORT_CHECK_LIMIT",
  failedKey: "FAILED_KEY_LIMIT",
  userWrite: "USER_WRITE_LIMIT",
  userRead: "USER_READ_LIMIT",
  access: "ACCESS_LIMIT",
  invitation: "INVITATION_LIMIT",
} as const;
/** For all addresses of an IPv6 site together: four times the limit of one address. */
export const siteLimits = {
  click: "CLICK_SITE_LIMIT",
  lead: "LEAD_SITE_LIMIT",
  offer: "OFFER_SITE_LIMIT",
  failedKey: "FAILED_KEY_SITE_LIMIT",
  userWrite: "USER_WRITE_SITE_LIMIT",
  userRead: "USER_READ_SITE_LIMIT",
  access: "ACCESS_SITE_LIMIT",
  invitation: "INVITATION_SITE_LIMIT",
} as const;

export type LimitName = keyof typeof rateLimits;
export type AddressLimitName = keyof typeof siteLimits;
