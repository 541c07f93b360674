import { useEffect, useState } from "preact/hooks";

const print = matchMedia("print");

/** While the browser prints, or shows how it would. */
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
