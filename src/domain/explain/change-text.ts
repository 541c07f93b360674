/** The effect of a new policy alone, because several versions may have decided the earlier sales. */
export function changeText(money: (cents: number) => string, todayCents: number, wouldBeCents: number): string {
  const change = wouldBeCents - todayCents;
  const difference =
    change === 0 ? "no difference from" : `${money(Math.abs(change))} ${change < 0 ? "less" : "more"} than`;
  return `This change: ${difference} today's commission (${money(todayCents)}).`;
}
