//! One ROS node with one plain loop.

use crate::call::Caller;
use crate::error::RosError;
use crate::inbox::Inbox;
use crate::params::{Declared, Parameters};
use crate::qos::{self, Quality};
use crate::shutdown::Shutdown;
use futures::task::noop_waker_ref;
use r2r::{Context, Node, Publisher, ServiceRequest, WrappedServiceTypeSupport, WrappedTypesupport};
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Longest that a loop waits when nothing arrives; bounds how late it sees Ctrl-C.
pub const IDLE: Duration = Duration::from_millis(50);

/// A node, its parameters and the flag that ends it.
pub struct RosNode {
    node: Node,
    parameters: Arc<Mutex<Parameters>>,
    parameter_services: Pin<Box<dyn Future<Output = ()> + Send>>,
    shutdown: Shutdown,
}

impl std::fmt::Debug for RosNode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RosNode").finish_non_exhaustive()
    }
}

impl RosNode {
    /// Opens a node under its default name; `--ros-args` may rename it and set its parameters.
    ///
    /// # Errors
    /// [`RosError`], also for a parameter that is unknown or outside its range.
    pub fn open(name: &str, namespace: &str, declared: Vec<Declared>) -> Result<Self, RosError> {
        let shutdown = Shutdown::on_signals()?;
        let context = Context::create().map_err(|e| RosError::ros("a context", &e))?;
        let mut node = Node::create(context, name, namespace).map_err(|e| RosError::ros(format!("node {name}"), &e))?;
        let mut parameters = Parameters::new(declared);
        {
            let given = node.params.lock().unwrap_or_else(PoisonError::into_inner);
            parameters.apply(given.iter().map(|(name, p)| (name, &p.value)))?;
        }
        let parameters = Arc::new(Mutex::new(parameters));
        let (services, _changes) = node
            .make_derived_parameter_handler(Arc::clone(&parameters) as _)
            .map_err(|e| RosError::ros("parameter services", &e))?;
        // Time comes with every state here, so the extra wake-up for each /clock message is spared.
        node.get_time_source().disable_sim_time();
        Ok(Self { node, parameters, parameter_services: Box::pin(services), shutdown })
    }

    /// The parameters.
    pub fn parameters(&self) -> MutexGuard<'_, Parameters> {
        self.parameters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The flag that ends the process.
    #[must_use]
    pub fn shutdown(&self) -> &Shutdown {
        &self.shutdown
    }

    /// Waits until something arrives, at most `timeout`, and puts it into the inboxes.
    pub fn spin(&mut self, timeout: Duration) {
        self.node.spin_once(timeout);
        let mut context = std::task::Context::from_waker(noop_waker_ref());
        // It never completes: it serves get, set, list and describe for ever.
        let _ = self.parameter_services.as_mut().poll(&mut context);
    }

    /// Subscribes to a topic.
    ///
    /// # Errors
    /// [`RosError::Ros`].
    pub fn subscribe<T: WrappedTypesupport + Send + 'static>(
        &mut self,
        topic: &str,
        quality: Quality,
    ) -> Result<Inbox<T>, RosError> {
        let stream = self.node.subscribe::<T>(topic, quality.subscriber()).map_err(|e| RosError::ros(topic, &e))?;
        Ok(Inbox::new(stream))
    }

    /// Publishes a topic.
    ///
    /// # Errors
    /// [`RosError::Ros`].
    pub fn publish<T: WrappedTypesupport>(&mut self, topic: &str, quality: Quality) -> Result<Publisher<T>, RosError> {
        self.node.create_publisher::<T>(topic, quality.publisher()).map_err(|e| RosError::ros(topic, &e))
    }

    /// Offers a service.
    ///
    /// # Errors
    /// [`RosError::Ros`].
    pub fn serve<S: WrappedServiceTypeSupport + Send + 'static>(
        &mut self,
        name: &str,
    ) -> Result<Inbox<ServiceRequest<S>>, RosError>
    where
        S::Request: Send,
    {
        let stream = self.node.create_service::<S>(name, qos::SERVICE.publisher()).map_err(|e| RosError::ros(name, &e))?;
        Ok(Inbox::new(stream))
    }

    /// Calls a service.
    ///
    /// # Errors
    /// [`RosError::Ros`].
    pub fn caller<S: WrappedServiceTypeSupport + 'static>(&mut self, name: &str) -> Result<Caller<S>, RosError>
    where
        S::Request: Send + Sync,
        S::Response: Send,
    {
        let client = self.node.create_client::<S>(name, qos::SERVICE.publisher()).map_err(|e| RosError::ros(name, &e))?;
        Ok(Caller::new(name, client))
    }

    /// Names of the nodes that publish a topic, sorted, with namespace.
    ///
    /// # Errors
    /// [`RosError::Ros`].
    pub fn publishers_of(&self, topic: &str) -> Result<Vec<String>, RosError> {
        let found = self.node.get_publishers_info_by_topic(topic, false).map_err(|e| RosError::ros(topic, &e))?;
        let mut names: Vec<String> =
            found.iter().map(|p| format!("{}/{}", p.node_namespace.trim_end_matches('/'), p.node_name)).collect();
        names.sort();
        Ok(names)
    }
}
