const turning = /\p{Bidi_C}/gu;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** A name for use in a sentence. A right-to-left name is isolated, so that it doesn't reorder the words around it. */
export function nameInText(name: string): string {
  const straight = name.replace(turning, "");
  return rightToLeft.test(straight) ? `\u2068${straight}\u2069` : straight;
}

/** A partner's name and code for use in a sentence: "Anna (anna)". */
export const namedByCode = ({ name, partnerCode }: { readonly name: string; readonly partnerCode: string }): string =>
  `${nameInText(name)} (${partnerCode})`;
