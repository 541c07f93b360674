/** Of a lead that is no customer's: the customer key, the newest click or, in test mode, the call, by which it is told apart. */
type Kind = "customer" | "click" | "call";

export const unresolvedKey = (kind: Kind, text: string): string => `${kind} ${text}`;

export function readUnresolvedKey(key: string): { readonly kind: string; readonly text: string } {
  const [kind = "", ...rest] = key.split(" ");
  return { kind, text: rest.join(" ") };
}
