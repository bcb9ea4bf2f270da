import type { ResourceManifest } from '@telorun/sdk';
import { parseDurationMs } from '@telorun/sdk';
import { isPlainObject } from '../../graph/plain.ts';
import { configRefused } from './problems.ts';

/** How one model is reached. Times in milliseconds. The key is not among it: see `readKey`. */
export interface Settings {
  readonly name: string;
  readonly model: string;
  readonly endpoint: URL;
  readonly options: Readonly<Record<string, unknown>>;
  readonly streaming: boolean;
  readonly responseMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly retries: number;
  readonly retryDelayMs: number;
  readonly retryDelayMaxMs: number;
  readonly responseBytesMax: number;
}

const BASE_URL = 'https://api.openai.com/v1';
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Reads how a model is reached.
 *
 * Pure.
 *
 * @throws InvokeError ERR_AI_CONFIG
 * @see kernel-specs/models.md AI-10 to AI-12
 */
export function readSettings(resource: ResourceManifest): Settings {
  const { name } = resource.metadata;
  const { model, options } = resource;
  if (typeof model !== 'string' || model === '') throw configRefused(name, 'it names no model', 'State model.');
  const timeouts = objectOf(resource['timeouts']);
  const retry = objectOf(resource['retry']);
  return {
    name,
    model,
    endpoint: readEndpoint(name, resource),
    options: objectOf(options),
    streaming: resource['streaming'] === true,
    responseMs: duration(timeouts['response'], 300_000),
    idleMs: duration(timeouts['idle'], 60_000),
    totalMs: duration(timeouts['total'], 600_000),
    retries: count(retry['attempts'], 2),
    retryDelayMs: duration(retry['initialDelay'], 500),
    retryDelayMaxMs: duration(retry['maxDelay'], 30_000),
    responseBytesMax: count(resource['maxResponseBytes'], 8_388_608),
  };
}

/** The key, which a header can carry. Pure. @throws InvokeError ERR_AI_CONFIG, never with a character of it */
export function readKey(resource: ResourceManifest): string {
  const { apiKey } = resource;
  if (typeof apiKey !== 'string' || !/^[\u0021-\u007e]+$/.test(apiKey)) {
    throw configRefused(
      resource.metadata.name,
      'its apiKey is empty, or holds characters that no key has',
      'Bind the secret that apiKey reads to the key alone, without spaces or line ends.',
    );
  }
  return apiKey;
}

function readEndpoint(name: string, resource: ResourceManifest): URL {
  const { baseUrl = BASE_URL } = resource;
  const url = typeof baseUrl === 'string' && URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw configRefused(
      name,
      'its baseUrl is no http or https address without a user',
      `State baseUrl as in ${BASE_URL}.`,
    );
  }
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && resource['allowInsecure'] !== true) {
    throw configRefused(
      name,
      'its baseUrl would send the key unencrypted',
      'Use https, or state allowInsecure: true for an endpoint on a network of your own.',
    );
  }
  url.hash = '';
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return isPlainObject(value) ? value : {};
}

function duration(value: unknown, fallbackMs: number): number {
  return typeof value === 'string' ? parseDurationMs(value) : fallbackMs;
}

function count(value: unknown, fallback: number): number {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : fallback;
}
