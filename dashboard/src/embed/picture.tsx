import type { ComponentType, JSX } from "preact";
import { useState } from "preact/hooks";
import { isScannable } from "../scannable.ts";

type Picture = ComponentType<{ readonly text: string; readonly label: string }>;

/** A QR code. The module that draws it is loaded when the person first opens it. */
export function LinkPicture({ link }: { readonly link: string }): JSX.Element | null {
  const [isOpen, setIsOpen] = useState(false);
  const [Picture, setPicture] = useState<Picture>();
  const [isLost, setIsLost] = useState(false);
  if (!isScannable(link)) return null;
  const toggle = () => {
    setIsOpen(!isOpen);
    setIsLost(false);
    import("../components/qr-code.tsx").then(
      ({ QrCode }) => setPicture(() => QrCode),
      () => setIsLost(true),
    );
  };
  return (
    <div class="picture">
      <button type="button" class="button secondary" aria-expanded={isOpen} onClick={toggle}>
        {isOpen ? "Hide QR code" : "Show QR code"}
      </button>
      {isOpen && Picture && <Picture text={link} label="QR code of your link" />}
      {isOpen && isLost && (
        <p class="fault" role="alert">
          The QR code couldn't be loaded. Reload the page to see it.
        </p>
      )}
    </div>
  );
}
