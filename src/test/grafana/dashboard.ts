// SPDX-License-Identifier: Apache-2.0
// What docs/grafana.json must be, by the types that Grafana publishes. Grafana.java writes the constant behind it.
import type { Dashboard, FieldConfigSource, GraphFieldConfig, Panel, RowPanel, VariableModel } from '@grafana/schema';
import type { Options as Graph }
    from '@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen';
import type { Options as Stat } from '@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen';

/** As JSON has it: an enum is its value. */
type Json<T> = T extends string ? `${T}` : T extends number ? (number extends T ? T : `${T}` extends `${infer N extends
    number}` ? N : T) : T extends boolean | null | undefined ? T : { [K in keyof T]: Json<T[K]> };

/** The types of Grafana leave the options of a panel open, and the query of a data source. */
type Query = { refId: string; datasource: { type: 'prometheus'; uid: string }; expr: string; legendFormat: string;
    editorMode: 'code'; range: boolean; instant?: boolean };
type Shown<T extends string, O, C> = Omit<Panel, 'type' | 'options' | 'fieldConfig' | 'targets'> & { type: T;
    options: O; fieldConfig: FieldConfigSource<C>; targets: Query[] };
type Panels = (RowPanel | Shown<'timeseries', Graph, GraphFieldConfig> | Shown<'stat', Stat, never>)[];
type Ours = Omit<Dashboard, 'panels' | 'templating'> & { panels: Panels; templating: { list: VariableModel[] } };

export const dashboard: Json<Ours> =
