/**
 * Locations of Durable Objects:
 * https://developers.cloudflare.com/durable-objects/reference/data-location/#supported-locations-1
 */
export const locations = [
  "wnam",
  "enam",
  "sam",
  "weur",
  "eeur",
  "apac",
  "apac-ne",
  "apac-se",
  "oc",
  "afr",
  "me",
] as const;
