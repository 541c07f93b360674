/**
 * The kind of key that identifies a lead without a stored customer: the customer key in the call, the newest click or,
 * in test mode, the call.
 */
type Kind = "customer" | "click" | "call";

export const unresolvedKey = (kind: Kind, text: string): string => `${kind} ${text}`;

export function readUnresolvedKey(key: string): { readonly kind: string; readonly text: string } {
  const [kind = "", ...rest] = key.split(" ");
  return { kind, text: rest.join(" ") };
}
