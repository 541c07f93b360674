// The package types its index only, which also carries the look-ups by country.
declare module "currency-codes/data.js" {
  const records: readonly { readonly code: string; readonly digits: number }[];
  export default records;
}
