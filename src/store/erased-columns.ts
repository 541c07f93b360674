import { personal } from "./schema/personal.ts";

type Tables = typeof personal;
type Owner = "partner" | "account";
type ColumnOf<Table extends keyof Tables, Whose extends Owner> = {
  [Column in keyof Tables[Table]]: Tables[Table][Column] extends Whose ? Column : never;
}[keyof Tables[Table]] &
  string;

/** The table's columns that may contain data of a partner, or of an account. */
export const columnsAbout = <Table extends keyof Tables, Whose extends Owner>(table: Table, whose: Whose) =>
  Object.entries(personal[table]).flatMap(([name, held]) => (held === whose ? [name] : [])) as ColumnOf<Table, Whose>[];

/** Null for each of these columns. A column that is never null needs another value, otherwise the write doesn't compile. */
const emptied = <Table extends keyof Tables, Whose extends Owner>(table: Table, whose: Whose) =>
  Object.fromEntries(columnsAbout(table, whose).map((name) => [name, null])) as Readonly<
    Record<ColumnOf<Table, Whose>, null>
  >;

export const emptiedPartner = emptied("partners", "partner");
export const emptiedLine = emptied("payoutLines", "partner");
export const emptiedClaim = emptied("claims", "partner");
export const emptiedPayment = emptied("paymentDetails", "partner");

const { accountId: _accountId, ...texts } = emptied("applications", "account");
/** The account's id isn't emptied, because it identifies the author of the application. */
export const emptiedApplication = { ...texts, name: "", answers: "{}" } as const;

const { id: _id, ...user } = emptied("users", "account");
/** The user's row isn't deleted, because it identifies the author of the account's actions. */
export const emptiedUser = user;
