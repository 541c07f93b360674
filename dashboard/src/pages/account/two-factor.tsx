import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { useQuery } from "../../api/use-query.ts";
import { Badge } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { Code, CopyButton } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, TextField, type Values } from "../../components/form.tsx";
import { DownloadIcon } from "../../components/icons.tsx";
import { Notice } from "../../components/notice.tsx";
import { QrCode } from "../../components/qr-code.tsx";
import { pluralize } from "../../format.ts";
import { CodeField } from "../../forms/code-field.tsx";
import { proofOf, useHasPassword } from "../../forms/proof-fields.tsx";
import { saveFile } from "../../save-file.ts";
import { activityKey } from "./activity.tsx";

const recoveryCodesKey = "recovery codes";
const refreshes = ["session", activityKey, recoveryCodesKey, "members of "];

export function TwoFactor({ isOn }: { readonly isOn: boolean }): JSX.Element {
  const [opened, setOpened] = useState<"switch" | "codes">();
  const close = () => setOpened(undefined);
  return (
    <section class="account-section">
      <header class="row spread">
        <h2>Two-factor authentication</h2>
        {isOn ? <Badge tone="good">On</Badge> : <Badge>Off</Badge>}
      </header>
      <p class="soft">
        {isOn
          ? "To sign in from a new browser, you need your password and a code from your authenticator app."
          : "With an authenticator app, a stolen password isn't enough to sign in."}
      </p>
      {isOn && <CodesLeft />}
      <div class="row">
        <Button look={isOn ? "secondary" : "primary"} onClick={() => setOpened("switch")}>
          {isOn ? "Turn off two-factor authentication" : "Turn on two-factor authentication"}
        </Button>
        {isOn && <Button onClick={() => setOpened("codes")}>Replace recovery codes</Button>}
      </div>
      {opened === "switch" && (isOn ? <TurnOff onClose={close} /> : <TurnOn onClose={close} />)}
      {opened === "codes" && <ReplaceCodes onClose={close} />}
    </section>
  );
}

function CodesLeft(): JSX.Element | null {
  const { data } = useQuery(
    recoveryCodesKey,
    async (signal) => (await take(api.auth.totp.$get({}, { init: { signal } }))).data.recoveryCodesLeft,
  );
  if (data === undefined) return null;
  return <p class="soft">{data === 0 ? "No recovery codes are left." : `${pluralize(data, "recovery code")} left.`}</p>;
}

interface Closes {
  readonly onClose: () => void;
}

const PasswordField = (): JSX.Element | null =>
  useHasPassword() ? (
    <TextField name="password" label="Password" type="password" autocomplete="current-password" />
  ) : null;

function TurnOn({ onClose }: Closes): JSX.Element {
  const [isSaved, setIsSaved] = useState(false);
  const start = useAction((values: Values) => take(api.auth.totp.$post({ json: proofOf(values) })), {
    failsIn: "form",
  });
  const setup = start.result?.data;
  return (
    <Dialog title="Turn on two-factor authentication" onClose={onClose}>
      {setup === undefined ? (
        <Form action={start} submit="Continue" onCancel={onClose}>
          <PasswordField />
        </Form>
      ) : isSaved ? (
        <Confirm setup={setup} onClose={onClose} />
      ) : (
        <RecoveryCodes codes={setup.recoveryCodes} next="Continue" onSaved={() => setIsSaved(true)} />
      )}
    </Dialog>
  );
}

interface RecoveryCodesProps {
  readonly codes: readonly string[];
  readonly next: string;
  readonly onSaved: () => void;
}

function RecoveryCodes({ codes, next, onSaved }: RecoveryCodesProps): JSX.Element {
  const [isChecked, setIsChecked] = useState(false);
  const text = `${codes.join("\n")}\n`;
  const content = () => new Blob([text], { type: "text/plain" });
  return (
    <>
      <h3>Save your recovery codes</h3>
      <p class="soft">If you lose your phone, each code signs you in once. They won't be shown again.</p>
      <ul class="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="row">
        <CopyButton text={text} what="recovery codes" title="Copy recovery codes" />
        <Button onClick={() => saveFile({ name: "tributary-recovery-codes.txt", content: content() })}>
          <DownloadIcon /> Download recovery codes
        </Button>
      </div>
      <label class="check-line">
        <input type="checkbox" checked={isChecked} onChange={(event) => setIsChecked(event.currentTarget.checked)} />
        I've saved them
      </label>
      <div class="row">
        <Button look="primary" isDisabled={!isChecked} onClick={onSaved}>
          {next}
        </Button>
      </div>
    </>
  );
}

interface ConfirmProps extends Closes {
  readonly setup: { readonly secret: string; readonly uri: string };
}

function Confirm({ setup: { secret, uri }, onClose }: ConfirmProps): JSX.Element {
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => form.current?.querySelector("input")?.focus(), []);
  const confirm = useAction(({ code = "" }: Values) => take(api.auth.totp.confirm.$post({ json: { code } })), {
    failsIn: "form",
    refreshes,
    done: "Two-factor authentication is on.",
    onDone: onClose,
  });
  return (
    <>
      <h3>Add this account to your app</h3>
      <p class="soft">
        Scan this code with your authenticator app, or enter the setup key. On the device that has the app,{" "}
        <a href={uri}>open it in the app</a>.
      </p>
      <QrCode text={uri} label="QR code of the setup key" />
      <Code text={secret.replaceAll(/.{4}(?=.)/g, "$& ")} what="setup key" />
      <Notice look="plain">The codes are time-based (TOTP): 6 digits, new every 30 seconds.</Notice>
      <div ref={form}>
        <Form action={confirm} submit="Turn on" onCancel={onClose}>
          <CodeField isOfApp />
        </Form>
      </div>
    </>
  );
}

function ReplaceCodes({ onClose }: Closes): JSX.Element {
  const replace = useAction(
    ({ code = "", ...values }: Values) =>
      take(api.auth.totp["recovery-codes"].$post({ json: { ...proofOf(values), code } })),
    { failsIn: "form", refreshes },
  );
  const codes = replace.result?.data.recoveryCodes;
  return (
    <Dialog title="Replace recovery codes" onClose={onClose}>
      {codes === undefined ? (
        <Form action={replace} submit="Replace" onCancel={onClose}>
          <p class="soft">
            Your current recovery codes stop working. If you don't see the new ones, replace them again.
          </p>
          <PasswordField />
          <CodeField isOfApp />
        </Form>
      ) : (
        <RecoveryCodes codes={codes} next="Done" onSaved={onClose} />
      )}
    </Dialog>
  );
}

function TurnOff({ onClose }: Closes): JSX.Element {
  const turnOff = useAction(
    ({ code = "", ...values }: Values) => take(api.auth.totp.$delete({ json: { ...proofOf(values), code } })),
    { failsIn: "form", refreshes, done: "Two-factor authentication is off.", onDone: onClose },
  );
  return (
    <Dialog title="Turn off two-factor authentication?" onClose={onClose}>
      <Form action={turnOff} submit="Turn off" submitLook="destructive" onCancel={onClose}>
        <p class="soft">Your password alone will sign you in, and your recovery codes stop working.</p>
        <PasswordField />
        <CodeField />
      </Form>
    </Dialog>
  );
}
