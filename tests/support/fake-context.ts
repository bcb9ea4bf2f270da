export { durableContext, resource, resourceContext as fakeContext } from '../../conformance/host/resource-context.ts';
export type {
  RecordingContext as FakeContext,
  ResourceContextOptions as FakeContextOptions,
} from '../../conformance/host/resource-context.ts';
