import type { JSX } from "preact";
import { useGroups } from "../../../api/groups.ts";
import { Dialog } from "../../../components/dialog.tsx";
import { Form, SelectField, TextArea, TextField } from "../../../components/form.tsx";
import { nameInText } from "../../../named-by-code.ts";
import { type Decided, type Decision, noGroup, useDecide } from "./decide.ts";

interface DecisionDialogProps {
  readonly asked: Decision;
  readonly onDone: (decided: Decided) => void;
  readonly onClose: () => void;
}

export function DecisionDialog({ asked, onDone, onClose }: DecisionDialogProps): JSX.Element {
  const { verb, applications, values } = asked;
  const decide = useDecide(asked, onDone);
  const [first, ...others] = applications;
  const size = applications.length;
  const isOne = others.length === 0;
  const what = isOne ? "application" : `${size} applications`;
  if (verb === "approve") {
    return (
      <Dialog title={isOne ? `Approve ${nameInText(first?.name ?? "")}?` : `Approve ${what}?`} onClose={onClose}>
        <Form action={decide} submit={`Approve ${what}`} onCancel={onClose}>
          <p class="soft">
            {isOne
              ? "The applicant becomes a partner, and can open their partner pages at once."
              : "Each becomes a partner with a code made from their name, and can open their partner pages at once."}
          </p>
          {isOne && (
            <>
              <TextField
                name="code"
                label="Code"
                hint="2 to 64 letters, digits, hyphens or underscores, with a letter or digit at each end. If empty, it is made from the name."
                value={values?.code}
                isOptional
              />
              <GroupField value={values?.groupId} />
            </>
          )}
        </Form>
      </Dialog>
    );
  }
  return (
    <Dialog title={isOne ? `Decline ${nameInText(first?.name ?? "")}?` : `Decline ${what}?`} onClose={onClose}>
      <Form action={decide} submit={`Decline ${what}`} submitLook="destructive" onCancel={onClose}>
        <p class="soft">{isOne ? "They" : "Each of them"} can apply again after 30 days. You can't undo this.</p>
        <TextArea
          name="partnerNote"
          label={isOne ? "Note to the applicant" : "Note to the applicants"}
          hint="Shown to the applicant on the join page. Up to 500 characters."
          value={values?.partnerNote}
          isOptional
        />
      </Form>
    </Dialog>
  );
}

/** Chooses the new partner's group. Default: the group of the join page. */
function GroupField({ value }: { readonly value: string | undefined }): JSX.Element | null {
  const groups = useGroups().data ?? [];
  if (groups.length === 0) return null;
  return (
    <SelectField
      name="groupId"
      label="Group"
      value={value}
      options={[
        ["", "As on the join page"],
        [noGroup, "None"],
        ...groups.map(({ id, name }) => [String(id), name] as const),
      ]}
    />
  );
}
