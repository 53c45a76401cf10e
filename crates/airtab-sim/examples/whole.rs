//! x
use airtab_core::*; use airtab_sim::*; use airtab_sim::wifi::*; use airtab_sim::tcp::Algorithm; use airtab_sim::traffic::video::*;
use airtab_quality::video::*;
fn main(){
 let s=1_000_000_000u64;
 let seeds:u64=std::env::args().nth(1).map_or(3,|x|x.parse().unwrap());
 let st=|n:&str|Station{name:n.into(),rate_kbps:54000,loss:Loss::Shadowing{distance_m:1.0}};
 let app=|n:&str,k,i,r,c|App{name:n.into(),kind:k,station:i,active_ns:r,class:c,latency_ns:1_000_000};
 for fec in [Fec::None,Fec::Small,Fec::Large]{
 let sc=Scenario{name:"home".into(),duration_ns:330*s,measure_ns:90*s..270*s,cell:CellConfig::new(Phy::named("phy-a").unwrap()),wired:Wired::default(),
  stations:["a","b","c","d","e"].map(st).to_vec(),
  apps:vec![app("game",AppKind::Game,0,30*s..330*s,0),app("voip",AppKind::Voip,1,30*s..330*s,0),
   app("video",AppKind::Video{frames:Frames::synthetic(),fec},2,30*s..330*s,0), app("web",AppKind::Web,3,30*s..330*s,0),
   app("dl",AppKind::Download{congestion:Algorithm::Cubic},4,90*s..270*s,1)]};
 for q in ["fifo","spq","chap"]{
 let mut p=Params::new(Discipline::named(q).unwrap()); p.set("limit","35").unwrap();
 let (mut fps,mut web,mut n,mut dl,mut drop)=(0.,0.,0.,0.,0.);
 let t0=std::time::Instant::now();
 for seed in 1..=seeds {
  let t=run(&sc,&p,seed);
  let fr=&t.apps[2].frames; let v:Vec<_>=fr.iter().map(|f|(match f.kind{FrameKind::I=>Coding::I,FrameKind::P=>Coding::P,_=>Coding::B},f.received>=f.needed)).collect();
  let sh=playable(&v); fps+=sh.iter().zip(fr).filter(|(s,f)|**s&&t.measure_ns.contains(&f.sent_ns)).count() as f64/180.;
  let pg:Vec<_>=t.apps[3].pages.iter().filter(|p|t.measure_ns.contains(&p.requested_ns)).collect();
  if !pg.is_empty(){ web+=pg.iter().map(|p|(p.done_ns-p.requested_ns) as f64/1e6).sum::<f64>()/pg.len() as f64; n+=1.;}
  dl+=t.apps[4].down.bytes as f64*8./180e6; drop+=t.apps[2].queue.dropped as f64/t.apps[2].queue.arrived as f64;
 }
 let k=seeds as f64;
 println!("{fec:?} {q} fps {:.2} web {:.1} ms ({n} seeds) dl {:.2} video drop {:.4} {:?}/run",fps/k,web/n,dl/k,drop/k,t0.elapsed()/seeds as u32);
 }}
}
