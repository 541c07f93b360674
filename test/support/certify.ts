import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Creates a self-signed certificate. `name` is a subject alternative name, such as `DNS:shop.example,IP:127.0.0.1`. */
export function certify(name: string): { readonly key: string; readonly cert: string } {
  const folder = mkdtempSync(join(tmpdir(), "tributary-certificate-"));
  try {
    const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
    const options = ["-newkey", "rsa:2048", "-nodes", "-subj", `/CN=${name}`, "-addext", `subjectAltName=${name}`];
    execFileSync("openssl", ["req", "-x509", ...options, "-keyout", key, "-out", cert], { stdio: "ignore" });
    return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
