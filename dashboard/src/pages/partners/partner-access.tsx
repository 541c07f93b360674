import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { type Partner, partnerQueryKeys } from "../../api/partners.ts";
import { useAction } from "../../api/use-action.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, type Values } from "../../components/form.tsx";
import { Loaded } from "../../components/states.tsx";
import { Table, TableSkeleton } from "../../components/table.tsx";
import { DayOf, Instant } from "../../components/time.tsx";
import { paramOf, useProgram } from "../../session.tsx";
import { InvitePartner } from "./invite-partner.tsx";

function useAccess({ id }: Partner) {
  const { access } = api.programs[":programId"].partners[":partnerId"];
  return useProgramQuery(`partners access ${id}`, {}, ({ param }, init) =>
    take(access.$get({ param: { ...param, partnerId: String(id) } }, init)),
  );
}
type Access = NonNullable<ReturnType<typeof useAccess>["data"]>;
type Account = Access["data"][number];

export const partnerRoleTitles = { manage: "Manage", view: "View only" } as const satisfies Record<
  Account["role"],
  string
>;

export default function PartnerAccess({ partner }: { readonly partner: Partner }): JSX.Element {
  const { program, may, mayChange } = useProgram();
  const access = useAccess(partner);
  const [isInviting, setIsInviting] = useState(false);
  return (
    <Card
      title="Access"
      lead="Who can sign in and see this partner's own figures, commissions and payouts."
      actions={
        <div class="row">
          {may("owner") && (
            <ButtonLink href={`/partner/programs/${program.id}/partners/${partner.id}?as=owner`}>
              View as partner
            </ButtonLink>
          )}
          {mayChange("admin") && <Button onClick={() => setIsInviting(true)}>Invite…</Button>}
        </div>
      }
    >
      <Loaded query={access} skeleton={<TableSkeleton rows={1} />}>
        {(found) => <Accounts partner={partner} access={found} isStale={access.isBusy} />}
      </Loaded>
      {isInviting && <InvitePartner partner={partner} onClose={() => setIsInviting(false)} />}
    </Card>
  );
}

interface AccountsProps {
  readonly partner: Partner;
  readonly access: Access;
  readonly isStale: boolean;
}

const nameOf = ({ email }: Account): string => email ?? "A deleted account";

function Accounts({ partner, access: { data, meta }, isStale }: AccountsProps): JSX.Element {
  const { may } = useProgram();
  const [ending, setEnding] = useState<Account>();
  return (
    <>
      {data.length > 0 && (
        <Table
          caption="Accounts with access, oldest first"
          columns={[
            { head: "Email", cell: nameOf },
            { head: "Role", cell: ({ role }) => partnerRoleTitles[role] },
            { head: "Since", cell: ({ since }) => <DayOf at={since} /> },
            {
              head: "Actions",
              isNumber: true,
              cell: (account: Account) =>
                may("admin") && (
                  <Button look="quiet" label={`End access of ${nameOf(account)}`} onClick={() => setEnding(account)}>
                    End access…
                  </Button>
                ),
            },
          ]}
          rows={data}
          rowKey={({ accountId }) => accountId}
          isStale={isStale}
        />
      )}
      {meta.invitedUntil !== null ? (
        <p class="soft">
          An invitation is open until <Instant at={meta.invitedUntil} />.
        </p>
      ) : (
        data.length === 0 && <p class="soft">No one has access yet. Invite the partner, and send them the link.</p>
      )}
      {ending !== undefined && <EndAccess partner={partner} account={ending} onClose={() => setEnding(undefined)} />}
    </>
  );
}

interface EndAccessProps {
  readonly partner: Partner;
  readonly account: Account;
  readonly onClose: () => void;
}

function EndAccess({ partner, account, onClose }: EndAccessProps): JSX.Element {
  const { program } = useProgram();
  const end = useAction(
    (_: Values) => {
      const param = { ...paramOf(program), partnerId: String(partner.id), accountId: account.accountId };
      return take(api.programs[":programId"].partners[":partnerId"].access[":accountId"].$delete({ param }));
    },
    { failsIn: "form", done: "Access ended.", refreshes: partnerQueryKeys(program.id), onDone: onClose },
  );
  return (
    <Dialog title="End this access?" onClose={onClose}>
      <Form action={end} submit="End access" submitLook="destructive" onCancel={onClose}>
        <p class="soft">
          {nameOf(account)} no longer sees anything of <bdi>{partner.name}</bdi>, from now on. Codes, commissions and
          payouts stay as they are.
        </p>
      </Form>
    </Dialog>
  );
}
