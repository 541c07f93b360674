import * as fields from "#http/schema/form-fields.ts";
import { day } from "../reports/query.ts";

export const statementFields = () => ({
  from: day("from")
    .optional()
    .describe("First day. Defaults to the day of the first entry. After today, the statement is empty."),
  to: day("to")
    .optional()
    .describe("Last day, inclusive. Defaults to today, which a later day counts as too unless `from` is also later."),
  currency: fields.currency("currency").optional().describe("Defaults to the program's currency."),
  format: fields.oneOf("format", ["json", "csv"]).default("json"),
});
