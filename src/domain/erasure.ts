import { createHmac } from "node:crypto";
import type { ClaimedSale } from "./claim.ts";
import { type ClickKeyRing, erasedVersion, mintClickId, readStoredClickId } from "./click-id.ts";
import { couponsOf } from "./coupons.ts";
import { normalizeEmail } from "./email.ts";
import {
  type FrozenCommission,
  type FrozenLead,
  freezeCommission,
  freezeLead,
  readFrozenCommission,
  readFrozenLead,
} from "./explain/frozen.ts";
import type { CustomerId, ProgramId } from "./ids.ts";
import { readUnresolvedKey, unresolvedKey } from "./unresolved-key.ts";

/** Columns with JSON, named by its content. */
const jsonForms = ["lead_explanation", "commission_explanation", "coupons", "items", "trail"] as const;

/** Kinds of customer data in a column. Each kind is erased in its own way. */
const erasedForms = [
  /** A text about the customer, or about their device or place. It is deleted. */
  "text",
  /** The caller's id of the customer. It is replaced by a pseudonym. */
  "customer_key",
  /** Replaced by a pseudonym with the same link and instant. */
  "click_id",
  /** The id of a visitor on one day. It is replaced by a pseudonym, the same in all of the visitor's clicks. */
  "visitor",
  /**
   * A caller's id of anything but the customer. It stays, unless it contains an email address or the customer's
   * identifier.
   */
  "id",
  /** The customer key or click id that identifies a lead without a customer. */
  "lead_name",
  ...jsonForms,
] as const;
export type ErasedForm = (typeof erasedForms)[number];

const isOneOf = <Form extends string>(forms: readonly Form[], held: string): held is Form =>
  forms.some((form) => form === held);
export const isErasedForm = (held: string): held is ErasedForm => isOneOf(erasedForms, held);
export const isJsonForm = (held: string): boolean => isOneOf(jsonForms, held);

export interface Erasing {
  readonly programId: ProgramId;
  readonly clickKeys: ClickKeyRing;
  readonly hashSecret: string;
  /** The id of the receipt. An erasure that is repeated, for example after a restore, creates the same pseudonyms. */
  readonly erasureId: string;
  /** The customer's keys and addresses. Ids that contain one are replaced. */
  readonly names: readonly string[];
  /** Pseudonymous keys of customers whom an earlier erasure covered. */
  readonly pseudonyms: readonly string[];
}

type Secrets = Pick<Erasing, "programId" | "hashSecret">;

/** Shortened to 132 bits, which are enough to distinguish digests. */
const shortened = (digest: Buffer): string => digest.toString("base64url").slice(0, 22);

const digestOf = ({ programId, hashSecret }: Secrets, kind: string, of: string | number): string =>
  shortened(
    createHmac("sha256", hashSecret)
      .update(JSON.stringify([kind, programId, of]))
      .digest(),
  );

/** The digest by which an erased key, click id or other id is recognized later. */
export const erasedDigest = (secrets: Secrets, text: string): string => digestOf(secrets, "erased", text);

/** The digest by which a customer's erasure is found, whatever identifier it was requested with. */
export const erasedCustomerDigest = (secrets: Secrets, customerId: CustomerId): string =>
  digestOf(secrets, "erased customer", customerId);

/** The digest by which a restore finds an erasure of data that was reported after the customer was erased. */
export const erasedAgainDigest = (secrets: Secrets, customerId: CustomerId): string =>
  digestOf(secrets, "erased customer again", customerId);

/** A digest of the external id, by which a later call for an erased partner is recognized. */
export const erasedPartnerDigest = (secrets: Secrets, externalId: string): string =>
  digestOf(secrets, "erased partner", externalId);

/** The digest by which a repeat of an open claim is recognized, whether or not an erasure has emptied its texts. */
export const claimDigest = (secrets: Secrets, { day, amountCents, currency, reference, note }: ClaimedSale): string =>
  digestOf(secrets, "claim", JSON.stringify([day, amountCents, currency, reference, note]));

const erasedMark = "erased_";
const address = /[^\s@/]+@[^\s@/]+\.[^\s@/]+/;

/** The pseudonym of an id that contains an identifier of an erased customer. */
export const erasedId = (secrets: Secrets, id: string): string => erasedMark + erasedDigest(secrets, id);

/**
 * Identifiers of at least this length are also found within longer words. Shorter ones occur in many ids by chance, so
 * they are found only as separate words.
 */
const chanceLength = 6;
const standsIn = (id: string, name: string): boolean =>
  name.length >= chanceLength ? id.includes(name) : standsAlone(id, name);

const isInWord = (character: string | undefined): boolean => /^[\p{L}\p{N}]/u.test(character ?? "");

function standsAlone(id: string, name: string): boolean {
  for (let at = id.indexOf(name); at >= 0; at = id.indexOf(name, at + 1)) {
    if (!isInWord(id[at - 1]) && !isInWord(id[at + name.length])) return true;
  }
  return false;
}

const isNaming = (id: string, names: readonly string[]): boolean =>
  (id.includes("@") && address.test(id)) || names.some((name) => standsIn(id.toLowerCase(), name.toLowerCase()));

export const keptId = (erasing: Secrets & Pick<Erasing, "names">, id: string): string =>
  isNaming(id, erasing.names) ? erasedId(erasing, id) : id;

const mostWordsOfName = 5;

/** Parts of an id that may be a customer's identifier: up to five consecutive words, as many as a UUID has. */
function* namesWithin(id: string): Generator<string, undefined> {
  const words = [...id.matchAll(/[\p{L}\p{N}]+/gu)];
  for (const [i, { index }] of words.entries()) {
    for (const last of words.slice(i, i + mostWordsOfName)) yield id.slice(index, last.index + last[0].length);
  }
}

/** Digests of all parts of an id that may identify an erased customer. */
export const digestsWithin = (secrets: Secrets, id: string): readonly string[] =>
  [...new Set(namesWithin(id))].map((name) => erasedDigest(secrets, name));

/** The identifiers, with the normalized form of each address. */
export const namesOf = (keys: readonly string[]): readonly string[] => [
  ...new Set(keys.flatMap((key) => [key, normalizeEmail(key)]).filter((name) => name !== "")),
];

const inWords = (text: string): string =>
  text.toLowerCase().replace(/\p{L}+/gu, (word) => word.replace(/^./u, (first) => first.toUpperCase()));

/** The identifiers as people may type them. SQLite's `lower` only changes the letters of ASCII. */
export const spellingsOf = (keys: readonly string[]): readonly string[] => [
  ...new Set(
    namesOf(keys).flatMap((name) =>
      [name, name.toLowerCase(), name.toUpperCase(), inWords(name)].flatMap((text) => [
        text,
        text.normalize("NFC"),
        text.normalize("NFD"),
      ]),
    ),
  ),
];

const pseudonym = ({ hashSecret, erasureId }: Erasing, kind: string, text: string) =>
  createHmac("sha256", hashSecret)
    .update(JSON.stringify(["pseudonym", erasureId, kind, text]))
    .digest();

const newKey = (erasing: Erasing, key: string): string => erasedMark + shortened(pseudonym(erasing, "customer", key));

/** The customer's pseudonym. Data reported during an erasure already has it. */
const customerPseudonym = (erasing: Erasing, key: string): string =>
  erasing.pseudonyms.includes(key) || erasing.names.some((name) => newKey(erasing, name) === key)
    ? key
    : newKey(erasing, key);

const notAClick = "erased";

/** The first and the last prefix, in byte order, of click ids that replace erased ones. */
export const erasedClickHeads = ["Ag", "Av"] as const;

export function isErasedClickId(clickId: string): boolean {
  const [from, to] = erasedClickHeads;
  const head = clickId.slice(0, from.length);
  return head >= from && head <= to;
}

function clickPseudonym(erasing: Erasing, clickId: string): string {
  const token = readStoredClickId(clickId);
  if (token === undefined) return notAClick;
  if (isErasedClickId(clickId)) return clickId;
  const random = pseudonym(erasing, "click", clickId).toString("hex", 0, 8);
  return mintClickId(erasing.clickKeys, token, random, erasedVersion);
}

const visitorPseudonym = (erasing: Erasing, visitor: string): string =>
  pseudonym(erasing, "visitor", visitor).toString("base64url").slice(0, visitor.length);

const codeOfErased = "erased";
const withoutCodes = <Coupon extends { readonly code: string }>(coupons: readonly Coupon[]): readonly Coupon[] =>
  coupons.map((each) => ({ ...each, code: codeOfErased }));

const clicksErased = <Click extends { readonly clickId: string }>(erasing: Erasing, clicks: readonly Click[]) =>
  clicks.map((click) => ({ ...click, clickId: clickPseudonym(erasing, click.clickId) }));

const leadErased = (erasing: Erasing, lead: FrozenLead): FrozenLead => ({
  ...lead,
  candidates: clicksErased(erasing, lead.candidates),
});

function commissionErased(erasing: Erasing, frozen: FrozenCommission): FrozenCommission {
  const { click, considered, sale, candidates, coupons } = frozen;
  const renamed = (each: NonNullable<FrozenCommission["click"]>) => ({ ...each, id: clickPseudonym(erasing, each.id) });
  return {
    ...frozen,
    click: click && renamed(click),
    considered: considered && { ...considered, click: renamed(considered.click) },
    sale: { ...sale, transactionId: keptId(erasing, sale.transactionId) },
    ...(candidates && { candidates: clicksErased(erasing, candidates) }),
    ...(coupons && { coupons: withoutCodes(coupons) }),
  };
}

type Replace = (name: string, text: string) => string | undefined;
const textsReplaced = (json: string, replace: Replace): string =>
  JSON.stringify(JSON.parse(json), (name, value: unknown) =>
    typeof value === "string" ? replace(name, value) : value,
  );

/** Replaces all texts in an object that may identify the customer. Product ids stay, because rules depend on them. */
const idsErased = (erasing: Erasing, json: string): string =>
  textsReplaced(json, (name, text) => (name === "productId" ? text : keptId(erasing, text)));

/** Erases the JSON of an audit entry. The notes it refers to are erased separately. */
const trailErased = (erasing: Erasing, json: string): string =>
  textsReplaced(json, (name, text) => {
    if (name === "reason") return undefined;
    if (name !== "customerKey") return keptId(erasing, text);
    // The entry of a correction can have the keys of two customers. Only the erased customer's key is replaced.
    return erasing.names.includes(text) ? customerPseudonym(erasing, text) : text;
  });

function leadNameErased(erasing: Erasing, name: string): string {
  const { kind, text } = readUnresolvedKey(name);
  if (kind === "customer") return unresolvedKey(kind, customerPseudonym(erasing, text));
  return kind === "click" ? unresolvedKey(kind, clickPseudonym(erasing, text)) : name;
}

const erasers: Readonly<Record<ErasedForm, (erasing: Erasing, text: string) => string | null>> = {
  text: () => null,
  customer_key: customerPseudonym,
  click_id: clickPseudonym,
  visitor: visitorPseudonym,
  id: keptId,
  lead_name: leadNameErased,
  lead_explanation: (erasing, json) => freezeLead(leadErased(erasing, readFrozenLead(json))),
  commission_explanation: (erasing, json) => freezeCommission(commissionErased(erasing, readFrozenCommission(json))),
  coupons: (_erasing, json) => JSON.stringify(withoutCodes(couponsOf(json))),
  items: idsErased,
  trail: trailErased,
};

/** Erases an erased customer's identifiers from the explanation of another customer's sale. */
export const saleNameErased = (erasing: Erasing, json: string): string => {
  const frozen = readFrozenCommission(json);
  const { sale } = frozen;
  return freezeCommission({ ...frozen, sale: { ...sale, transactionId: keptId(erasing, sale.transactionId) } });
};

export const erased = (erasing: Erasing, form: ErasedForm, text: string): string | null => erasers[form](erasing, text);
