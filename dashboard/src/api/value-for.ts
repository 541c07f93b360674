/** An option that is given as a value, or as a function of the reply. */
export const valueFor = <Value extends string | number | undefined, Reply>(
  option: Value | ((reply: Reply) => Value),
  reply: Reply,
): Value => (typeof option === "function" ? option(reply) : option);
