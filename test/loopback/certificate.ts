import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate in PEM with its private key. */
export interface KeyedCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const VALID_MS = 24 * 3600 * 1000;
/** Clients with a shifted clock must accept the certificates too. */
const VALID_BEFORE_MS = 48 * 3600 * 1000;

/** An authority that exists for one test run. Its certificates are valid for some days around now. */
export class TestAuthority {
  readonly #certificate: x509.X509Certificate;
  readonly #keys: webcrypto.CryptoKeyPair;
  #serial = 1;

  private constructor(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair) {
    this.#certificate = certificate;
    this.#keys = keys;
  }

  static async create(): Promise<TestAuthority> {
    x509.cryptoProvider.set(webcrypto as never);
    const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    const certificate = await x509.X509CertificateGenerator.createSelfSigned({
      serialNumber: '01',
      name: 'CN=Loopback test authority',
      ...validity(),
      signingAlgorithm: ALGORITHM,
      keys,
      extensions: [
        new x509.BasicConstraintsExtension(true, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      ],
    });
    return new TestAuthority(certificate, keys);
  }

  /** The authority's own certificate in PEM: what a client has to trust (NODE_EXTRA_CA_CERTS). */
  get certificate(): string {
    return `${this.#certificate.toString('pem')}\n`;
  }

  /** Issues one server certificate for all the host names. */
  async issue(hosts: readonly string[]): Promise<KeyedCertificate> {
    const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
    this.#serial += 1;
    const certificate = await x509.X509CertificateGenerator.create({
      serialNumber: this.#serial.toString(16).padStart(2, '0'),
      subject: `CN=${hosts[0] ?? 'localhost'}`,
      issuer: this.#certificate.subject,
      ...validity(),
      signingAlgorithm: ALGORITHM,
      publicKey: keys.publicKey,
      signingKey: this.#keys.privateKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        new x509.SubjectAlternativeNameExtension(hosts.map((value) => ({ type: 'dns', value }))),
      ],
    });
    const pkcs8 = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    const privateKey = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
    return {
      certificate: `${certificate.toString('pem')}\n`,
      privateKey: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
    };
  }
}

function validity(): { notBefore: Date; notAfter: Date } {
  const nowMs = Date.now();
  return { notBefore: new Date(nowMs - VALID_BEFORE_MS), notAfter: new Date(nowMs + VALID_MS) };
}
