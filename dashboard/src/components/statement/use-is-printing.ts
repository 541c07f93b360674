import { useEffect, useState } from "preact/hooks";

const print = matchMedia("print");

/** True while the browser prints or shows the print preview. */
export function useIsPrinting(): boolean {
  const [isPrinting, setIsPrinting] = useState(print.matches);
  useEffect(() => {
    const begin = () => setIsPrinting(true);
    const end = () => setIsPrinting(print.matches);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", end);
    print.addEventListener("change", end);
    return () => {
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", end);
      print.removeEventListener("change", end);
    };
  }, []);
  return isPrinting;
}
