/** Compares a new policy with today's, not with what the sales earned: several versions may have decided the sales. */
export function changeText(money: (cents: number) => string, todayCents: number, wouldBeCents: number): string {
  const change = wouldBeCents - todayCents;
  const difference =
    change === 0 ? "no difference from" : `${money(Math.abs(change))} ${change < 0 ? "less" : "more"} than`;
  return `This change: ${difference} today's commission (${money(todayCents)}).`;
}

interface PolicyOwner {
  readonly partnerId?: number | null;
  readonly groupId?: number | null;
}

/**
 * States which sales a simulation of this owner's policy has recalculated. `count` is a text such as "3 of 20 sales".
 */
export function recalculatedText({ partnerId, groupId }: PolicyOwner, count: string): string {
  const made =
    groupId == null
      ? "without a custom commission, and outside groups with their own, at the time of the sale"
      : "in this group without a custom commission";
  return `Recalculated: ${count}, only those ${partnerId == null ? `that partners made ${made}` : "of this partner"}.`;
}
