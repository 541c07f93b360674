import type { JSX } from "preact";
import { mayPay, useMembers } from "../../api/members.ts";
import { Notice } from "../../components/notice.tsx";
import { formatList } from "../../format.ts";

interface NeedsOtherProps {
  readonly userId: string;
  /** Completes the sentence "Someone else has to …". */
  readonly task: string;
}

export function NeedsOther({ userId, task }: NeedsOtherProps): JSX.Element {
  const { data } = useMembers();
  const others = data?.filter((member) => mayPay(member) && member.userId !== userId).map(({ name }) => name);
  return (
    <Notice look="warn">
      Payouts need approval by two people. You finalized this one, so someone else has to {task}.
      {others !== undefined &&
        (others.length > 0
          ? ` ${formatList(others)} can.`
          : " No other owner or admin is active: an owner has to invite one, or require approval by one person under Settings.")}
    </Notice>
  );
}
