// The package declares types only for its index, which would also load the lookups by country.
declare module "currency-codes/data.js" {
  const records: readonly { readonly code: string; readonly digits: number }[];
  export default records;
}
