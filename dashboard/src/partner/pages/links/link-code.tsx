import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../../components/button.tsx";
import { Dialog } from "../../../components/dialog.tsx";
import { lazy } from "../../../components/lazy.tsx";
import { Skeleton } from "../../../components/states.tsx";
import { isScannable } from "../../../scannable.ts";

const Picture = lazy(() => import("./picture.tsx"), <Skeleton lines={6} />);

interface LinkCodeProps {
  readonly link: string;
  readonly title: string;
  readonly label?: string;
}

export function LinkCode({ link, title, label }: LinkCodeProps): JSX.Element | null {
  const [isOpen, setIsOpen] = useState(false);
  if (!isScannable(link)) return null;
  return (
    <>
      <Button look="quiet" {...(label !== undefined && { label })} onClick={() => setIsOpen(true)}>
        {title}
      </Button>
      {isOpen && (
        <Dialog title="QR code of your link" onClose={() => setIsOpen(false)}>
          <Picture link={link} />
        </Dialog>
      )}
    </>
  );
}
