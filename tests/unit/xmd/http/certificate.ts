import { generateKeyPairSync, sign } from 'node:crypto';

/** A self-signed certificate and its key, both PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const TAG = { integer: 0x02, bits: 0x03, octets: 0x04, oid: 0x06, utf8: 0x0c, time: 0x17, list: 0x30, set: 0x31 };
const ECDSA_SHA256 = der(TAG.list, der(TAG.oid, Buffer.from('2a8648ce3d040302', 'hex')));
const TRUE = Buffer.from('0101ff', 'hex');

/** Effect: draws a key. Makes a certificate for one name and the address 127.0.0.1. */
export function selfSigned(name: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const subject = der(TAG.list, der(TAG.set, der(TAG.list, oid('550403'), der(TAG.utf8, Buffer.from(name)))));
  const names = der(TAG.list, der(0x82, Buffer.from(name)), der(0x87, Buffer.from([127, 0, 0, 1])));
  const body = der(
    TAG.list,
    der(0xa0, der(TAG.integer, Buffer.from([2]))),
    der(TAG.integer, Buffer.from([1])),
    ECDSA_SHA256,
    subject,
    der(TAG.list, time(-1), time(1)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(
      0xa3,
      der(
        TAG.list,
        der(TAG.list, oid('551d11'), der(TAG.octets, names)),
        der(TAG.list, oid('551d13'), TRUE, der(TAG.octets, der(TAG.list, TRUE))),
      ),
    ),
  );
  const signature = der(TAG.bits, Buffer.from([0]), sign('sha256', body, privateKey));
  const base64 = der(TAG.list, body, ECDSA_SHA256, signature).toString('base64');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}

/** An instant so many days from now. */
function time(days: number): Buffer {
  const digits = new Date(Date.now() + days * 86_400_000).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14);
  return der(TAG.time, Buffer.from(`${digits}Z`));
}

function oid(hex: string): Buffer {
  return der(TAG.oid, Buffer.from(hex, 'hex'));
}

function der(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length =
    body.length < 128
      ? [body.length]
      : body.length < 256
        ? [0x81, body.length]
        : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
