const turning = /\p{Bidi_C}/gu;
const rightToLeft = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** A partner in a sentence, whose other words stay where they are whatever the name. */
export function namedByCode({ name, partnerCode }: { readonly name: string; readonly partnerCode: string }): string {
  const straight = name.replace(turning, "");
  return `${rightToLeft.test(straight) ? `\u2068${straight}\u2069` : straight} (${partnerCode})`;
}
