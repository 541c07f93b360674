import type { Program } from "./session.tsx";

export type Key = NonNullable<Program["apiKeys"]>[number];
/** Permissions of a key. The key that replaces it gets the same. */
export type KeyGrant = Pick<Key, "name" | "scopes" | "book">;
export type KeyScope = Key["scopes"][number];
export type KeyBook = Key["book"];

interface ScopeText {
  readonly title: string;
  readonly hint: string;
  /** The hint for a key that works only in test mode. Default: `hint`. */
  readonly testHint?: string;
}

export const scopeTexts: Readonly<Record<KeyScope, ScopeText>> = {
  track: { title: "Track events", hint: "Report clicks, leads, sales and refunds, and run the verification." },
  read: {
    title: "Read",
    hint: "List partners, customers, sales, commissions, balances and payouts, explain events, and check the setup.",
    testHint: "Explain test events. A test-only key can't read lists, because they have live data.",
  },
  manage: {
    title: "Manage partners",
    hint: "Create, change and list partners and coupons, including email addresses, and create tokens for embedding.",
    testHint: "Partners are live data, so a test-only key can't change them.",
  },
  settle: {
    title: "Settle payouts",
    hint: "Report payout lines as settled or failed. Only for the system that settles your payouts.",
    testHint: "Payouts are live data, so a test-only key can't settle them.",
  },
};

export const bookTitles: Readonly<Record<KeyBook, string>> = { both: "Live and test", test: "Test only" };

const isScope = (text: string): text is KeyScope => text in scopeTexts;

export const keyScopes: readonly KeyScope[] = Object.keys(scopeTexts).filter(isScope);

export const listScopes = (scopes: readonly string[]): string =>
  scopes.map((scope) => (isScope(scope) ? scopeTexts[scope].title : scope)).join(", ");

export const describeGrant = ({ name, scopes, book }: KeyGrant): string =>
  [name, listScopes(scopes), bookTitles[book]].join(" · ");
